"""`gpu-market host run`."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import Annotated

import typer

from anchor_client.amounts import sol, usd
from anchor_client.sealing import SealKey
from anchor_client.service.pacing import stop_on_signals
from anchor_client.service.supervision import Supervisor
from anchor_client.solana.transactions.message import LAMPORTS_PER_SIGNATURE
from anchor_client.solana.wallet import parse_address
from host_agent.egress import Egress, parse_network
from host_agent.identity import OperatorCertificate
from host_agent.pace import HostPace
from host_agent.service import AgentSettings, run_service
from host_agent.settings import GIBIBYTE, ContainerLimits, Share, parse_gpus
from market_cli.acting import acting
from market_cli.commands.arguments import LogForm
from market_cli.commands.host.policy import HostPolicy
from market_cli.errors import BadOption, NoApi
from market_cli.order_options import OrderOptions
from market_cli.orders import order_parts
from market_cli.paths import host_directory, seal_key_file
from market_cli.session import CliSession
from market_cli.structured_logs import narrate
from market_cli.units import micro_usd

MACHINE = "Machine"
BACKGROUND = "Background job"


@acting
async def run(
    session: CliSession,
    policy: HostPolicy,
    address: Annotated[
        str, typer.Option("--address", help="Host name or IP address through which renters reach this machine.")
    ],
    listing: Annotated[
        list[str] | None,
        typer.Option(
            "--listing",
            metavar="ADDRESS[=GPUS]",
            help="Listing on this machine, with its GPUs (ADDRESS=0,1) if they are split; repeatable.",
            show_default="your only one, or the one served last",
        ),
    ] = None,
    owner: Annotated[
        str | None,
        typer.Option(
            "--owner",
            metavar="ADDRESS",
            help="Host's wallet, which is paid, if this key only operates.",
            show_default="this key's",
        ),
    ] = None,
    seal_key: Annotated[
        Path | None, typer.Option("--seal-key", help="Key file written by `host register`.", show_default=False)
    ] = None,
    state_dir: Annotated[
        Path | None,
        typer.Option(
            "--state-dir",
            help="Directory for the machine's SSH key and renters' workspaces.",
            show_default="~/.local/share/gpu-market/host",
        ),
    ] = None,
    heartbeat: Annotated[
        float | None,
        typer.Option(
            "--heartbeat",
            min=1,
            help="Seconds between heartbeats (one transaction each).",
            show_default="three quarters of the market's allowed silence",
        ),
    ] = None,
    settle: Annotated[
        int | None,
        typer.Option(
            "--settle",
            min=1,
            help="Seconds of earnings per payout (one transaction each).",
            show_default="once its fee is 0.02 % of it",
        ),
    ] = None,
    sol_usd: Annotated[
        str, typer.Option("--sol-usd", help="Dollars per SOL, used while the market has no price for SOL.")
    ] = "200",
    gpus: Annotated[
        str, typer.Option("--gpus", help="GPUs to use: all, none, or indices such as 0,1.", rich_help_panel=MACHINE)
    ] = "all",
    device: Annotated[
        list[str] | None,
        typer.Option(
            "--device", help="Device path under /dev to pass through.", rich_help_panel=MACHINE, show_default=False
        ),
    ] = None,
    first_port: Annotated[
        int,
        typer.Option(
            "--first-port",
            help="First port open to renters; each listing uses eight: SSH, forwarded ports, terminal.",
            min=1,
            max=65_535,
            rich_help_panel=MACHINE,
        ),
    ] = 20_000,
    bind: Annotated[str, typer.Option("--bind", help="IP address to listen on.", rich_help_panel=MACHINE)] = "0.0.0.0",
    tls_certificate: Annotated[
        Path | None,
        typer.Option(
            "--tls-certificate",
            metavar="FILE",
            help="Certificate for --address, with its chain; reread when it changes.",
            show_default="self-signed",
            rich_help_panel=MACHINE,
        ),
    ] = None,
    tls_key: Annotated[
        Path | None,
        typer.Option(
            "--tls-key",
            metavar="FILE",
            help="Private key of the certificate.",
            rich_help_panel=MACHINE,
            show_default=False,
        ),
    ] = None,
    memory_gb: Annotated[
        int | None,
        typer.Option(
            "--memory-gb",
            min=1,
            help="Memory limit of an order.",
            show_default="as listed",
            rich_help_panel=MACHINE,
        ),
    ] = None,
    shared_memory_gb: Annotated[
        int, typer.Option("--shm-gb", min=1, help="Size of /dev/shm.", rich_help_panel=MACHINE)
    ] = 8,
    cpus: Annotated[
        float | None,
        typer.Option(
            "--cpus", min=0.1, help="CPU limit of an order.", show_default="as listed", rich_help_panel=MACHINE
        ),
    ] = None,
    disk_gb: Annotated[
        int | None,
        typer.Option(
            "--disk-gb", min=1, help="Disk limit of an order.", show_default="as listed", rich_help_panel=MACHINE
        ),
    ] = None,
    open_egress: Annotated[
        bool,
        typer.Option(
            "--open-egress",
            help="Set no firewall rules: orders also reach this machine, private networks and mail servers.",
            rich_help_panel=MACHINE,
        ),
    ] = False,
    allow_egress: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-egress",
            metavar="NETWORK",
            help="Private network that orders may reach, such as 10.1.2.0/24; repeatable.",
            rich_help_panel=MACHINE,
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine", metavar="URL", help="Docker socket.", rich_help_panel=MACHINE, show_default="docker's"
        ),
    ] = None,
    wipe_command: Annotated[
        str | None,
        typer.Option(
            "--wipe-command",
            metavar="CMD",
            help="Extra cleanup command after each tenant; must succeed before the next order.",
            rich_help_panel=MACHINE,
            show_default=False,
        ),
    ] = None,
    keep_images: Annotated[
        bool, typer.Option("--keep-images", help="Keep tenants' images in the cache.", rich_help_panel=MACHINE)
    ] = False,
    keep_gb: Annotated[
        int,
        typer.Option(
            "--keep-gb",
            min=1,
            help="Maximum total disk, in GiB, for renters' workspaces between rentals.",
            rich_help_panel=MACHINE,
        ),
    ] = 50,
    background_image: Annotated[
        str | None,
        typer.Option("--background-image", help="Docker image.", rich_help_panel=BACKGROUND, show_default=False),
    ] = None,
    background_command: Annotated[
        str | None,
        typer.Option("--background-command", help="Shell command.", rich_help_panel=BACKGROUND, show_default=False),
    ] = None,
    background_env: Annotated[
        list[str] | None,
        typer.Option("--background-env", metavar="NAME=VALUE", rich_help_panel=BACKGROUND, show_default=False),
    ] = None,
    log_format: LogForm = None,
) -> None:
    """Serve your listings from this machine: heartbeats, a container per order, and a background job when idle.

    Each order gets its own container, network and SSH password; the image needs no SSH server. Everything is wiped
    when the rental ends, before the next order starts. Requires a Docker engine. Ctrl-C stops the agent; containers
    keep running, and the next `host run` picks them up.
    """

    if background_image is None and (background_command or background_env):
        raise BadOption("The background job has no image", "Add --background-image.")
    certificate = _certificate(tls_certificate, tls_key)
    if session.settings.api_url is None:
        raise NoApi("No market API is configured, so orders cannot be fetched")
    whole = parse_gpus(gpus)
    settings = AgentSettings(
        rpc_url=session.settings.rpc_url,
        rpc_rate=session.settings.rpc_rate,
        ws_url=session.settings.ws_url,
        api_url=session.settings.api_url,
        wallet=session.wallet,
        owner=parse_address(owner) if owner else None,
        seal_key=SealKey.load(seal_key or seal_key_file()),
        state_dir=state_dir or host_directory(),
        address=address,
        program_id=session.settings.program_id,
        shares=[Share.parse(text, whole) for text in listing or ()],
        gpus=whole,
        first_port=first_port,
        bind=bind,
        engine_url=engine,
        certificate=certificate,
        devices=device or (),
        background=None
        if background_image is None
        else order_parts(OrderOptions(image=background_image, command=background_command, env=background_env)),
        images=policy.images(),
        runtime=policy.runtime,
        blocked=policy.blocked(),
        abuse_contact=policy.abuse_contact,
        wipe_command=shlex.split(wipe_command or ""),
        keep_images=keep_images,
        keep_bytes=keep_gb * GIBIBYTE,
        egress=Egress(tuple(map(parse_network, allow_egress or ())), is_open=open_egress),
        pace=HostPace(heartbeat, settle, micro_usd(sol_usd)),
        limits=ContainerLimits(
            memory_bytes=None if memory_gb is None else memory_gb * GIBIBYTE,
            shared_memory_bytes=shared_memory_gb * GIBIBYTE,
            cpus=cpus,
            disk_bytes=None if disk_gb is None else disk_gb * GIBIBYTE,
        ),
    )
    narrate(session, log_format)
    supervisor = Supervisor.from_environment()
    ready = asyncio.Event()
    stop = stop_on_signals(supervisor.stopping)
    serving = asyncio.create_task(run_service(settings, ready=ready, stop=stop, supervisor=supervisor))
    online = asyncio.create_task(ready.wait())
    await asyncio.wait([serving, online], return_when=asyncio.FIRST_COMPLETED)
    online.cancel()
    if not serving.done():
        supervisor.ready()
        reads = session.signing.reads
        allowed = (await reads.market()).offline_after
        pace = await settings.pace.at_market_price(reads)
        lamports = pace.heartbeats_a_day(max(len(settings.shares), 1), allowed) * LAMPORTS_PER_SIGNATURE
        document = {
            "ready": True,
            "host": str(settings.owner or session.wallet.pubkey),
            "operator": str(session.wallet.pubkey),
            "address": address,
            "first_port": first_port,
            "heartbeat_lamports_a_day": str(lamports),
            "sol_usd": pace.sol_usd,
        }
        session.out.show(
            document,
            f"Online at {address}. Heartbeats cost {sol(lamports)} a day ({usd(pace.usd_ceil(lamports))} at "
            f"{usd(pace.sol_usd)} per SOL), settlements about 0.02 % of your earnings. Ctrl-C stops the agent; "
            "`gpu-market host machines` lists containers.",
        )
    await serving
    session.out.note("Stopped. Containers keep running.")


def _certificate(certificate: Path | None, key: Path | None) -> OperatorCertificate | None:
    """The operator's certificate, if one is named. BadOption."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise BadOption(
            "A certificate needs its key, and a key its certificate", "Give both: --tls-certificate and --tls-key."
        )
    return OperatorCertificate(certificate, key)
