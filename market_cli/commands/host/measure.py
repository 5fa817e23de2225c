"""`gpu-market host measure`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from anchor_client.machine.figures import Figures, FiguresApi, SignedFigures
from anchor_client.rules.listing import NOBODY
from anchor_client.service.optional import optional
from market_cli.acting import acting
from market_cli.commands.arguments import ListingAddress, require_http
from market_cli.commands.host.arguments import DiskPath, EngineUrl
from market_cli.commands.host.figures import links, rates
from market_cli.commands.host.measuring import measured
from market_cli.errors import BadOption
from market_cli.output import details
from market_cli.session import CliSession


@acting
async def measure(
    session: CliSession,
    listing: ListingAddress,
    download: Annotated[
        str | None,
        typer.Option(
            "--download",
            metavar="URL",
            help="Measure the network with this download, for at most ten seconds.",
            show_default=False,
        ),
    ] = None,
    disk_path: DiskPath = None,
    engine: EngineUrl = None,
) -> None:
    """Measure this machine and publish the figures for its listing, signed by the key that serves it."""
    require_http(download)
    address = await session.listing(listing)
    signer = session.wallet
    account = await session.market.reads.listing(address)
    if account.operator != signer.pubkey:
        raise BadOption(f"{address} is served by {account.operator}", "Use that key: --keypair FILE.")
    if account.current != NOBODY:
        raise BadOption(f"{address} is rented", "Measure it while it is not rented.")
    found = await measured(session, disk_path, engine, download)
    probed = found.probed
    own = [gpu for gpu in found.gpus.all if gpu.model.id == account.gpu_model]
    buses = {gpu.bus for gpu in own}
    figures = Figures(
        spec_version=account.spec_version,
        disk_mbps=found.figures.disk_write,
        network_mbps=found.down_mbps,
        **links(own),
        **rates([each for each in probed.gpus if each.bus in buses]),
        driver=next((gpu.driver for gpu in own if gpu.driver is not None), None),
    )
    async with FiguresApi(session.api_url) as api:
        await api.publish(SignedFigures.signed(signer, address, figures))
    told = [(name.replace("_", " "), optional(str, value) or "not measured") for name, value in asdict(figures).items()]
    unmeasured = []
    if probed.reason is not None:
        unmeasured.append(f"GPUs were not measured: {probed.reason}")
    session.out.show(
        {"listing": str(address), "figures": asdict(figures), "gpus_unmeasured": probed.reason},
        details(*told),
        *unmeasured,
    )
