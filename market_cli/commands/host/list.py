"""`gpu-market host list`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.amounts import usd
from anchor_client.generated.constants import BPS, MAX_KEEP_DAYS
from anchor_client.generated.types import ListingSpec
from anchor_client.rules.catalog import find_gpu, find_region
from anchor_client.rules.gpu_model import GpuModel
from market_cli.acting import acting
from market_cli.completion import complete_gpu, complete_region
from market_cli.errors import BadOption
from market_cli.session import CliSession
from market_cli.units import MAX_U32, micro_usd, parse_cuda, parse_duration

DISKS = {"nvme": 0, "ssd": 1, "hdd": 2}
USUAL_SPOT_BPS = 6_000
USUAL_KEEP_DAYS = 7


@acting
async def list_(
    session: CliSession,
    gpu: Annotated[
        str,
        typer.Option(
            "--gpu",
            help="GPU model id, as listed by `gpus --all`, or the PCI device number of an unnamed model.",
            autocompletion=complete_gpu,
        ),
    ],
    region: Annotated[
        str,
        typer.Option("--region", help="Region of the machine, such as eu-west.", autocompletion=complete_region),
    ],
    price: Annotated[str, typer.Option("--price", help="Dollars per machine-hour.")],
    spot_price: Annotated[
        str | None,
        typer.Option("--spot-price", help="Minimum spot bid in dollars per hour; default: 60 % of the price."),
    ] = None,
    gpus: Annotated[int, typer.Option("--gpus", help="Number of GPUs.", min=1, max=255)] = 1,
    vram_gb: Annotated[
        int | None, typer.Option("--vram-gb", help="Memory of each GPU.", min=1, max=65_535, show_default="its model's")
    ] = None,
    longest: Annotated[str, typer.Option("--longest", help="Maximum rental duration, such as 30d or 3000h.")] = "30d",
    cpu_cores: Annotated[int, typer.Option("--cpu-cores", min=1, max=65_535)] = 16,
    ram_gb: Annotated[int, typer.Option("--ram-gb", min=1, max=MAX_U32)] = 64,
    disk: Annotated[str, typer.Option("--disk", help="nvme, ssd or hdd.")] = "nvme",
    disk_gb: Annotated[int, typer.Option("--disk-gb", min=1, max=MAX_U32)] = 500,
    disk_mbps: Annotated[int, typer.Option("--disk-mbps", min=1, max=MAX_U32)] = 3_000,
    net_up_mbps: Annotated[int, typer.Option("--up-mbps", min=1, max=MAX_U32)] = 500,
    net_down_mbps: Annotated[int, typer.Option("--down-mbps", min=1, max=MAX_U32)] = 1_000,
    cuda: Annotated[str, typer.Option("--cuda", help="Highest CUDA version the driver supports.")] = "12.8",
    keep_days: Annotated[
        int,
        typer.Option(
            "--keep-days",
            min=0,
            max=MAX_KEEP_DAYS,
            help="Days for which renters' workspaces are kept on request; 0 keeps none.",
        ),
    ] = USUAL_KEEP_DAYS,
    hidden: Annotated[bool, typer.Option("--hidden", help="List without offering it yet.")] = False,
) -> None:
    """List a machine."""
    model = find_gpu(gpu)
    place = find_region(region)
    if disk not in DISKS:
        raise BadOption(f"{disk!r} is not a kind of disk", f"Choose one of: {', '.join(DISKS)}.")
    on_demand = micro_usd(price)
    spec = ListingSpec(
        gpu_model=model.id,
        gpu_count=gpus,
        vram_gb=vram_of(model, vram_gb),
        region=place.id,
        cpu_cores=cpu_cores,
        ram_gb=ram_gb,
        disk_kind=DISKS[disk],
        disk_gb=disk_gb,
        disk_mbps=disk_mbps,
        net_up_mbps=net_up_mbps,
        net_down_mbps=net_down_mbps,
        cuda=parse_cuda(cuda),
        on_demand_usd=on_demand,
        spot_min_usd=micro_usd(spot_price) if spot_price is not None else on_demand * USUAL_SPOT_BPS // BPS,
        mrl_seconds=parse_duration(longest),
        visible=not hidden,
        keep_days=keep_days,
    )
    listing = await session.signing.host.create_listing(spec)
    document = {"listing": str(listing), "gpu": model.slug, "region": place.slug, "on_demand_usd": on_demand}
    text = f"{listing}  {gpus} x {model.slug} in {place.slug} at {usd(on_demand)}/h"
    session.out.show(document, f"{text}; goes online with its first heartbeat")


def vram_of(model: GpuModel, given: int | None) -> int:
    """GB of each GPU: the given value, or the model's. BadOption if neither is known."""
    if not (given or model.vram_gb):
        raise BadOption(f"The memory of a {model.name} is not known", "Give it with --vram-gb.")
    return given or model.vram_gb
