"""`gpu-market host measure`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from anchor_client.figures import Figures, FiguresApi, SignedFigures
from anchor_client.generated.constants import MB_PER_GB
from anchor_client.rules.listing import NOBODY
from anchor_client.service.optional import optional
from host_agent.detect.gpu_probe import GpuFigures
from host_agent.detect.gpus import DetectedGpu
from market_cli.acting import acting
from market_cli.commands.arguments import ListingAddress, require_http
from market_cli.commands.host.arguments import DiskPath, EngineUrl
from market_cli.commands.host.measuring import measured
from market_cli.errors import BadOption
from market_cli.output import details
from market_cli.session import CliSession

GIGA_PER_TERA = 1_000


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
        **_links(own),
        **_rates([each for each in probed.gpus if each.bus in buses]),
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


def _links(gpus: Sequence[DetectedGpu]) -> dict[str, int | None]:
    """The narrowest known link."""
    known = [(gpu.pcie_generation, gpu.pcie_width) for gpu in gpus if gpu.pcie_generation and gpu.pcie_width]
    generation, width = min(known, default=(None, None))
    return {"pcie_generation": generation, "pcie_width": width}


def _rates(gpus: Sequence[GpuFigures]) -> dict[str, int | None]:
    """The slowest GPU's figure for each."""
    if not gpus:
        return {}
    return {
        "fp32_gflops": round(min(gpu.fp32_tflops for gpu in gpus) * GIGA_PER_TERA),
        "gemm_gflops": round(min(gpu.gemm_tflops for gpu in gpus) * GIGA_PER_TERA),
        "vram_mb_per_second": round(min(gpu.memory_gb_per_second for gpu in gpus) * MB_PER_GB),
        "pcie_mb_per_second": round(min(gpu.pcie_gb_per_second for gpu in gpus) * MB_PER_GB),
    }
