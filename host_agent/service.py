"""Runs the agent of one machine, after checking its settings against the chain and the engine."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing
from anchor_client.generated.pdas import find_host
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import ListingSpec
from anchor_client.market import Market
from anchor_client.market.host.plan import spec_of
from anchor_client.orders import SealedOrderApi
from anchor_client.sealing import SealKey
from anchor_client.service.lock_file import locked
from anchor_client.service.pacing import run_until
from anchor_client.service.private_files import replace_file
from anchor_client.service.supervision import Supervisor
from anchor_client.solana.wallet import Wallet
from host_agent.agent import HostAgent
from host_agent.block_list import NOBODY_BLOCKED, BlockList
from host_agent.deadlines import Deadlines
from host_agent.detect.device_nodes import device_nodes, unlinked
from host_agent.detect.gpus import find_gpus
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.errors import HostConfigurationError, MachineFault
from host_agent.identity import MachineIdentity, OperatorCertificate
from host_agent.images import GB
from host_agent.orders import SealedOrderReader
from host_agent.pace import DEFAULT_PACE, SILENT_SHARE, HostPace
from host_agent.settings import GIBIBYTE, PORTS_PER_MACHINE, HostingSettings, MachineCapacity, MachineSettings, Share
from host_agent.shortfalls import KnownMachine, shortfalls
from host_agent.workspaces import KeptWorkspaces

SERVED_FILE: Final = "listing"
"""File in the state directory: the listing of an agent started without --listing."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings(HostingSettings):
    """Settings of an agent: its node, API and wallets, and what orders may use; the same for all of its listings."""

    rpc_url: str = field(repr=False)
    """URL of an RPC node, or several separated by commas."""
    rpc_rate: float | None = None
    ws_url: str = field(repr=False)
    api_url: str
    """The API that keeps renters' sealed orders."""
    wallet: Wallet
    """The operator's wallet."""
    owner: Pubkey | None = None
    """The host's wallet, which is paid; None if it operates the machine itself."""
    seal_key: SealKey
    state_dir: Path
    program_id: Pubkey = PROGRAM_ID
    shares: Sequence[Share] = ()
    """The listings on this machine; empty for the host's only one, or the one that it was then; it gets `gpus`."""
    engine_url: str | None = None
    certificate: OperatorCertificate | None = None
    """Certificate for the address; None for a self-signed one."""
    keep_bytes: int = 50 * GIBIBYTE
    """Maximum disk for tenants' workspaces between their rentals."""
    blocked: BlockList = NOBODY_BLOCKED
    """Renters whose orders are refused."""
    pace: HostPace = DEFAULT_PACE


async def run_service(
    settings: AgentSettings, *, ready: asyncio.Event, stop: asyncio.Event, supervisor: Supervisor | None = None
) -> None:
    """Runs until `stop` is set; `ready` is set once every listing has had a heartbeat. Containers keep running.

    Retries through outages of the node, the API and the engine. Raises HostConfigurationError; at startup MachineFault
    if the engine is missing, UnknownHost, and network errors.
    """
    async with AsyncExitStack() as stack:
        orders_api = await stack.enter_async_context(SealedOrderApi(settings.api_url))
        market = await stack.enter_async_context(
            Market.connect(
                settings.rpc_url,
                settings.wallet,
                ws_url=settings.ws_url,
                program_id=settings.program_id,
                rpc_rate=settings.rpc_rate,
            )
        )
        settings.blocked.require_readable()
        await settings.egress.require_firewall()
        await _require_frequent_heartbeats(settings.pace, market)
        listings = await _listings(settings, market)
        shares = served_shares(settings, listings, market.address)
        for share in shares:
            # A second agent on this machine would take this one's containers for its own.
            busy = HostConfigurationError(
                f"Another agent on this machine serves the listing {share.listing}",
                "Stop it, or choose other listings.",
            )
            stack.enter_context(locked(settings.state_dir / f"{share.listing}.lock", busy))
        engine = await stack.enter_async_context(Engine.connect(settings.engine_url))
        knows_gpus = await engine.knows_gpus()
        if any(share.gpus for share in shares) and not knows_gpus:
            raise HostConfigurationError(
                "The Docker engine cannot give GPUs to containers",
                "Install NVIDIA's container toolkit, or pass --gpus none (and --device for GPUs of other makers).",
            )
        nodes = {share.listing: device_nodes(share.gpus) for share in shares}
        await _require_isolation(engine, settings, [path for paths in nodes.values() for path in paths])
        identity = MachineIdentity.load_or_create(settings.state_dir, settings.address, settings.certificate)
        capacity = await engine.capacity()
        known = await known_machine(await engine.data_root(), capacity, has_gpus=any(share.gpus for share in shares))
        served = {share.listing: listings[share.listing] for share in shares}
        await hide_if_less(known, served, market, settings.owner or market.address)
        deadlines = Deadlines(settings.state_dir, settings.engine_url)
        kept = KeptWorkspaces(settings.state_dir, settings.keep_bytes)
        machines = {
            share.listing: DockerMachine(
                engine,
                _machine(settings, share, place, listings[share.listing], capacity, nodes[share.listing]),
                settings.seal_key,
                identity,
                deadlines,
                kept,
            )
            for place, share in enumerate(shares)
        }
        for machine in machines.values():
            stack.push_async_callback(machine.close)
        orders = SealedOrderReader(orders_api, settings.seal_key, blocked=settings.blocked)
        agent = HostAgent(
            market,
            settings.ws_url,
            lambda listing, _: machines.get(listing),
            orders,
            owner=settings.owner,
            pace=settings.pace,
            supervisor=supervisor,
        )
        log.info("host_started", host=str(agent.address), listings=[str(listing) for listing in machines])
        await run_until(stop, agent.run(ready))
        log.info("host_stopped", host=str(agent.address))


async def _require_isolation(engine: Engine, settings: AgentSettings, nodes: Sequence[str]) -> None:
    """Raises HostConfigurationError if the engine does not support the settings; warns about missing protections, and
    about device nodes that containers would lose.
    """
    found = await engine.isolation()
    found.require_runtime(settings.runtime)
    if found.has_systemd_groups and (missing := unlinked(nodes)):
        log.warning(
            "gpus_lost_at_reload",
            devices=missing,
            remedy="Containers lose these devices when systemd reloads. Run as root after each boot, as the shipped "
            "unit does: `nvidia-ctk system create-dev-char-symlinks --create-all`. Or set in /etc/docker/daemon.json: "
            '"exec-opts": ["native.cgroupdriver=cgroupfs"].',
        )
    if not found.limits_disk:
        log.warning(
            "disk_without_quotas",
            storage_driver=found.storage_driver,
            remedy="The agent stops orders that exceed the listed disk. Keep Docker's data on btrfs, zfs, or "
            "XFS mounted with pquota to enforce the limit.",
        )
    if not found.has_seccomp:
        log.warning(
            "system_calls_not_confined",
            remedy="Use Docker's default seccomp profile: remove `seccomp-profile` from /etc/docker/daemon.json.",
        )
    runtime = settings.runtime or found.default_runtime
    log.info(
        "isolation",
        runtime=runtime,
        user_namespaces=found.has_user_namespaces,
        seccomp=found.has_seccomp,
        disk=bool(found.limits_disk),
    )


async def known_machine(root: Path, capacity: MachineCapacity, *, has_gpus: bool) -> KnownMachine | None:
    """The engine's machine, if this is it: `root` is the engine's directory. None for a machine elsewhere."""
    try:
        disk = shutil.disk_usage(root).total // GB
    except OSError:  # the engine is on another machine, or in a container
        return None
    if not has_gpus:
        return KnownMachine(capacity, disk, None)
    try:
        return KnownMachine(capacity, disk, await find_gpus())
    except MachineFault as error:
        return KnownMachine(capacity, disk, None, error.message)


async def hide_if_less(
    machine: KnownMachine | None, listings: Mapping[Pubkey, Listing], market: Market, owner: Pubkey
) -> None:
    """Hides the listings of a machine that has less than they say. Only their owner's key can; with an operator's the
    log says what to do.
    """
    less = [] if machine is None else list(shortfalls(machine, list(listings.values())))
    if not less:
        return
    log.error(
        "machine_less_than_listed",
        shortfalls=less,
        remedy="Correct the listing with `gpu-market host change LISTING`, and show it again with `--visible`.",
    )
    for address, listing in listings.items():
        if listing.visible and market.address == owner:
            await market.host.update_listing(address, replace_spec(listing, visible=False))
            log.warning("listing_hidden", listing=str(address))


def replace_spec(listing: Listing, *, visible: bool) -> ListingSpec:
    """The listing's spec with another visibility."""
    return ListingSpec(**spec_of(listing).field_values() | {"visible": visible})


async def _require_frequent_heartbeats(pace: HostPace, market: Market) -> None:
    silence = (await market.reads.market()).offline_after
    most = int(silence * SILENT_SHARE)
    if pace.interval(silence) > silence * SILENT_SHARE:
        raise HostConfigurationError(
            f"A host may be marked as silent after {silence} s, and one heartbeat may be lost",
            f"Set --heartbeat to {most} s or less, or omit it.",
        )


async def _listings(settings: AgentSettings, market: Market) -> Mapping[Pubkey, Listing]:
    """All of the host's listings. HostConfigurationError if orders are not sealed to the agent's key."""
    owner = settings.owner or market.address
    host = await market.reads.host(owner)
    if host.seal_key != settings.seal_key.public:
        raise HostConfigurationError(
            "Renters seal their orders to another key than this one",
            "Pass the file written by `gpu-market host register` with --seal-key.",
        )
    return await market.reads.listings_of(find_host(owner, market.program_id)[0])


def served_shares(settings: AgentSettings, listings: Mapping[Pubkey, Listing], operator: Pubkey) -> Sequence[Share]:
    """The listings that this machine serves. HostConfigurationError unless all belong to the host."""
    if settings.shares:
        _require_own(settings.shares, listings, operator)
        return settings.shares
    operated = [address for address, listing in listings.items() if listing.operator == operator]
    served = _served(settings.state_dir)
    if served in operated:
        listing = served
    elif len(operated) == 1:
        listing = operated[0]
    else:
        listing = None
    if listing is None:
        known = ", ".join(map(str, operated)) or "there are none"
        raise HostConfigurationError(
            f"Several listings are operated by this key; which one is this machine? {known}",
            "Pass it with --listing, or list a machine first (`gpu-market host list`); the owner sets its operator.",
        )
    replace_file(settings.state_dir / SERVED_FILE, f"{listing}\n".encode())
    return [Share(listing, settings.gpus)]


def _served(state_dir: Path) -> Pubkey | None:
    """The listing of this machine from an earlier run without --listing: a second listing changes nothing."""
    try:
        return Pubkey.from_string((state_dir / SERVED_FILE).read_text().strip())
    except (FileNotFoundError, ValueError):
        return None


def _require_own(shares: Sequence[Share], listings: Mapping[Pubkey, Listing], operator: Pubkey) -> None:
    named = [share.listing for share in shares]
    for listing in named:
        if listing not in listings:
            raise HostConfigurationError(f"{listing} is not a listing of this host", "Check `gpu-market host show`.")
        if listings[listing].operator != operator:
            raise HostConfigurationError(
                f"{listing} is operated by {listings[listing].operator}, and this key is {operator}",
                f"Use that key, or let the owner run `gpu-market host operator {operator} --listing {listing}`.",
            )
    if len(set(named)) != len(named):
        raise HostConfigurationError("A listing is repeated", "Pass each once, with all of its GPUs.")


def _machine(
    settings: AgentSettings,
    share: Share,
    place: int,
    listing: Listing,
    capacity: MachineCapacity,
    nodes: Sequence[str] = (),
) -> MachineSettings:
    shared = {each.name: getattr(settings, each.name) for each in fields(HostingSettings)}
    images = settings.images
    own = {
        "gpus": share.gpus,
        "devices": [*dict.fromkeys((*settings.devices, *nodes))],
        "first_port": settings.first_port + place * PORTS_PER_MACHINE,
        "keep_days": listing.keep_days,
        "cuda": listing.cuda,
        "limits": settings.limits.within(listing, capacity),
        "images": replace(images, max_bytes=images.max_bytes or listing.disk_gb * GB),
    }
    return MachineSettings(**shared | own, listing=share.listing)
