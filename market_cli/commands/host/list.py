"""`gpu-market host list`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer
from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.generated.constants import BPS, MAX_KEEP_DAYS
from anchor_client.generated.types import ListingSpec
from anchor_client.rules.catalog import Region, find_gpu, find_region
from anchor_client.rules.gpu_model import GpuModel
from market_cli.acting import acting
from market_cli.commands.host.arguments import DiskPath, EngineUrl
from market_cli.commands.host.hardware import DETECTED, STATED, UNKNOWN, complete
from market_cli.completion import complete_gpu, complete_region
from market_cli.errors import BadOption
from market_cli.session import CliSession
from market_cli.units import MAX_U32, micro_usd, parse_cuda, parse_duration

DISKS = {"nvme": 0, "ssd": 1, "hdd": 2}
PROPERTIES = (
    *("gpus", "vram_gb", "cpu_cores", "ram_gb", "disk", "disk_gb", "disk_mbps", "up_mbps", "down_mbps", "cuda"),
)
"""Properties of a listing's hardware."""
DIVIDED = ("gpus", "cpu_cores", "ram_gb", "disk_gb", "disk_mbps", "up_mbps", "down_mbps")
"""Properties that machines in one case share."""
FOUND = "this machine's"
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
    gpus: Annotated[
        int | None, typer.Option("--gpus", help="Number of GPUs.", min=1, max=255, show_default=FOUND)
    ] = None,
    vram_gb: Annotated[
        int | None,
        typer.Option(
            "--vram-gb", help="Memory of each GPU.", min=1, max=65_535, show_default=f"{FOUND}, or its model's"
        ),
    ] = None,
    longest: Annotated[str, typer.Option("--longest", help="Maximum rental duration, such as 30d or 3000h.")] = "30d",
    cpu_cores: Annotated[int | None, typer.Option("--cpu-cores", min=1, max=65_535, show_default=FOUND)] = None,
    ram_gb: Annotated[int | None, typer.Option("--ram-gb", min=1, max=MAX_U32, show_default=FOUND)] = None,
    disk: Annotated[str | None, typer.Option("--disk", help="nvme, ssd or hdd.", show_default=FOUND)] = None,
    disk_gb: Annotated[int | None, typer.Option("--disk-gb", min=1, max=MAX_U32, show_default=FOUND)] = None,
    disk_mbps: Annotated[int | None, typer.Option("--disk-mbps", min=1, max=MAX_U32, show_default=FOUND)] = None,
    net_up_mbps: Annotated[int | None, typer.Option("--up-mbps", min=1, max=MAX_U32, show_default=FOUND)] = None,
    net_down_mbps: Annotated[int | None, typer.Option("--down-mbps", min=1, max=MAX_U32, show_default=FOUND)] = None,
    cuda: Annotated[
        str | None, typer.Option("--cuda", help="Highest CUDA version the driver supports.", show_default=FOUND)
    ] = None,
    disk_path: DiskPath = None,
    engine: EngineUrl = None,
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
    split: Annotated[
        str,
        typer.Option(
            "--split",
            metavar="PARTS",
            help="List as that many equal machines, or in several ways together, such as 1,2,8: hardware and "
            "price are divided.",
        ),
    ] = "1",
) -> None:
    """List a machine. Hardware that is not given is detected here; what is not found is listed at its minimum."""
    model = find_gpu(gpu)
    place = find_region(region)
    if disk is not None and disk not in DISKS:
        raise BadOption(f"{disk!r} is not a kind of disk", f"Choose one of: {', '.join(DISKS)}.")
    divisions = parse_split(split)
    stated = {
        "gpus": gpus,
        "vram_gb": vram_gb,
        "cpu_cores": cpu_cores,
        "ram_gb": ram_gb,
        "disk": disk,
        "disk_gb": disk_gb,
        "disk_mbps": disk_mbps,
        "up_mbps": net_up_mbps,
        "down_mbps": net_down_mbps,
        "cuda": cuda,
    }
    whole, origins = await complete(session, model, stated, disk_path, engine)

    def part(parts: int) -> ListingSpec:
        on_demand = micro_usd(price) // parts
        return spec_of(
            model,
            place,
            part_of(whole, parts),
            on_demand_usd=on_demand,
            spot_min_usd=on_demand * USUAL_SPOT_BPS // BPS if spot_price is None else micro_usd(spot_price) // parts,
            longest=parse_duration(longest),
            visible=not hidden,
            keep_days=keep_days,
        )

    specs = [spec for parts in divisions for spec in [part(parts)] * parts]
    listings = await session.signing.host.create_listings(specs)
    shares = list(shares_of(listings, specs, whole["gpus"])) if len(listings) > 1 else []
    hardware, listing = part_of(whole, divisions[0]), listings[0]
    document = {
        **{
            "listing": str(listing),
            "listings": [str(each) for each in listings],
            "gpu": model.slug,
            "region": place.slug,
            "on_demand_usd": specs[0].on_demand_usd,
            "serve": shares,
        },
        "hardware": {name: {"value": hardware[name], "origin": origins[name]} for name in hardware},
    }
    session.out.show(
        document,
        *(
            f"{each}  {spec.gpu_count} x {model.slug} in {place.slug} at {usd(spec.on_demand_usd)}/h; goes online with "
            "its first heartbeat"
            for each, spec in zip(listings, specs, strict=True)
        ),
        *([f"Serve them: gpu-market host run {' '.join(shares)}"] if shares else []),
        *(f"{origin.capitalize()}: {named}." for origin, named in _by_origin(hardware, origins).items()),
        *([f"State what is unknown: gpu-market host change {listing} --help"] if UNKNOWN in origins.values() else []),
    )


def spec_of(
    model: GpuModel,
    region: Region,
    hardware: Mapping[str, Any],
    *,
    on_demand_usd: int,
    spot_min_usd: int,
    longest: int,
    visible: bool = True,
    keep_days: int = USUAL_KEEP_DAYS,
) -> ListingSpec:
    """A listing of hardware by its PROPERTIES, at prices in micro-USD an hour, for at most `longest` seconds. BadOption
    if the memory of its GPUs is not known.
    """
    return ListingSpec(
        gpu_model=model.id,
        gpu_count=hardware["gpus"],
        vram_gb=vram_of(model, hardware["vram_gb"]),
        region=region.id,
        cpu_cores=hardware["cpu_cores"],
        ram_gb=hardware["ram_gb"],
        disk_kind=DISKS[hardware["disk"]],
        disk_gb=hardware["disk_gb"],
        disk_mbps=hardware["disk_mbps"],
        net_up_mbps=hardware["up_mbps"],
        net_down_mbps=hardware["down_mbps"],
        cuda=parse_cuda(hardware["cuda"]),
        on_demand_usd=on_demand_usd,
        spot_min_usd=spot_min_usd,
        mrl_seconds=longest,
        visible=visible,
        keep_days=keep_days,
    )


def part_of(whole: Mapping[str, Any], parts: int) -> dict[str, Any]:
    """Hardware of each of `parts` equal parts of a machine, rounded down. BadOption."""
    if whole["gpus"] % parts:
        raise BadOption(f"{whole['gpus']} GPUs cannot be divided by {parts}", "Choose another --split.")
    if min(whole["cpu_cores"], whole["ram_gb"]) < parts:
        raise BadOption(
            f"{whole['cpu_cores']} CPU cores and {whole['ram_gb']} GB of memory are too few for {parts} machines",
            "Choose another --split.",
        )
    return {name: max(whole[name] // parts, 1) if name in DIVIDED and parts > 1 else whole[name] for name in whole}


def parse_split(text: str) -> list[int]:
    """Numbers of parts, from `8` or `1,2,8`. BadOption."""
    parts = text.split(",")
    if not all(each.isascii() and each.isdigit() and 1 <= int(each) <= 255 for each in parts):
        raise BadOption(f"{text!r} is not a number of parts", "Write one such as 8, or several such as 1,2,8.")
    return sorted({int(each) for each in parts})


def shares_of(listings: Sequence[Pubkey], specs: Sequence[ListingSpec], whole: int) -> Iterator[str]:
    """The options of `host run` that give each listing its GPUs, in the driver's order; parts of each size cover the
    machine.
    """
    first = 0
    for listing, spec in zip(listings, specs, strict=True):
        yield f"--listing {listing}={','.join(map(str, range(first, first + spec.gpu_count)))}"
        first = (first + spec.gpu_count) % whole


def _by_origin(hardware: Mapping[str, Any], origins: Mapping[str, str]) -> dict[str, str]:
    """The properties of each origin, in one line."""
    words = {
        origin: [
            f"{name.replace('_', ' ')} {hardware[name] or 'of the model'}"
            for name in hardware
            if origins[name] == origin
        ]
        for origin in (DETECTED, STATED, UNKNOWN)
    }
    return {origin: ", ".join(named) for origin, named in words.items() if named}


def vram_of(model: GpuModel, given: int | None) -> int:
    """GB of each GPU: the given value, or the model's. BadOption if neither is known."""
    if not (given or model.vram_gb):
        raise BadOption(f"The memory of a {model.name} is not known", "Give it with --vram-gb.")
    return given or model.vram_gb
