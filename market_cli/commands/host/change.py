"""`gpu-market host change` and `gpu-market host close`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from anchor_client.amounts import duration, usd
from anchor_client.errors import NothingToSend
from anchor_client.generated.constants import MAX_KEEP_DAYS
from anchor_client.generated.types import ListingSpec
from anchor_client.market.host.plan import spec_of
from anchor_client.rules.catalog import find_gpu, find_region, gpu_slug, region_slug
from anchor_client.service.optional import optional
from market_cli.acting import acting
from market_cli.commands.arguments import ListingAddress
from market_cli.commands.host.list import DISKS, vram_of
from market_cli.completion import complete_gpu, complete_region
from market_cli.errors import BadOption
from market_cli.session import CliSession
from market_cli.units import MAX_U32, micro_usd, parse_cuda, parse_duration

HIDDEN_BY_AGENT = (
    "If its agent has hidden it, for an order of the same GPUs or for maintenance, the agent shows it again "
    "afterwards: hide it then."
)


@acting
async def change(
    session: CliSession,
    listing: ListingAddress,
    *,
    gpu: Annotated[
        str | None, typer.Option("--gpu", help="GPU model id.", autocompletion=complete_gpu, show_default=False)
    ] = None,
    gpus: Annotated[
        int | None, typer.Option("--gpus", help="Number of GPUs.", min=1, max=255, show_default=False)
    ] = None,
    vram_gb: Annotated[
        int | None, typer.Option("--vram-gb", help="Memory of each GPU.", min=1, max=65_535, show_default=False)
    ] = None,
    region: Annotated[
        str | None,
        typer.Option("--region", help="Region of the machine.", autocompletion=complete_region, show_default=False),
    ] = None,
    price: Annotated[str | None, typer.Option("--price", help="Dollars per machine-hour.", show_default=False)] = None,
    spot_price: Annotated[
        str | None,
        typer.Option(
            "--spot-price", help="Minimum spot bid in dollars per hour; 0 turns spot off.", show_default=False
        ),
    ] = None,
    longest: Annotated[
        str | None, typer.Option("--longest", help="Maximum rental duration, such as 30d.", show_default=False)
    ] = None,
    cpu_cores: Annotated[int | None, typer.Option("--cpu-cores", min=1, max=65_535, show_default=False)] = None,
    ram_gb: Annotated[int | None, typer.Option("--ram-gb", min=1, max=MAX_U32, show_default=False)] = None,
    disk: Annotated[str | None, typer.Option("--disk", help="nvme, ssd or hdd.", show_default=False)] = None,
    disk_gb: Annotated[int | None, typer.Option("--disk-gb", min=1, max=MAX_U32, show_default=False)] = None,
    disk_mbps: Annotated[int | None, typer.Option("--disk-mbps", min=1, max=MAX_U32, show_default=False)] = None,
    net_up_mbps: Annotated[int | None, typer.Option("--up-mbps", min=1, max=MAX_U32, show_default=False)] = None,
    net_down_mbps: Annotated[int | None, typer.Option("--down-mbps", min=1, max=MAX_U32, show_default=False)] = None,
    cuda: Annotated[
        str | None, typer.Option("--cuda", help="Highest CUDA version the driver supports.", show_default=False)
    ] = None,
    keep_days: Annotated[
        int | None,
        typer.Option(
            "--keep-days",
            min=0,
            max=MAX_KEEP_DAYS,
            help="Days for which renters' workspaces are kept; restart the agent after a change.",
            show_default=False,
        ),
    ] = None,
    visible: Annotated[
        bool | None,
        typer.Option("--visible/--hidden", help="Offer the machine, or stop offering it.", show_default=False),
    ] = None,
) -> None:
    """Change a listing: its specs, prices, maximum rental and visibility. Running rentals keep their terms."""
    if disk is not None and disk not in DISKS:
        raise BadOption(f"{disk!r} is not a kind of disk", f"Choose one of: {', '.join(DISKS)}.")
    given: dict[str, Any] = {
        "vram_gb": vram_gb,
        "gpu_count": gpus,
        "on_demand_usd": optional(micro_usd, price),
        "spot_min_usd": optional(micro_usd, spot_price),
        "mrl_seconds": optional(parse_duration, longest),
        "cpu_cores": cpu_cores,
        "ram_gb": ram_gb,
        "disk_kind": optional(DISKS.get, disk),
        "disk_gb": disk_gb,
        "disk_mbps": disk_mbps,
        "net_up_mbps": net_up_mbps,
        "net_down_mbps": net_down_mbps,
        "cuda": optional(parse_cuda, cuda),
        "visible": visible,
        "keep_days": keep_days,
    }
    if gpu is not None:
        model = find_gpu(gpu)
        given |= {"gpu_model": model.id, "vram_gb": vram_of(model, vram_gb)}
    if region is not None:
        given["region"] = find_region(region).id
    address = await session.listing(listing)
    market = session.signing
    old = spec_of(await market.reads.listing(address))
    new = ListingSpec(**old.field_values() | {name: value for name, value in given.items() if value is not None})
    if new == old:
        if visible is False:
            raise NothingToSend(f"{listing} is hidden already", HIDDEN_BY_AGENT)
        raise NothingToSend
    sent = await market.host.update_listing(address, new)
    shown = "visible" if new.visible else "hidden"
    text = (
        f"{listing}  {new.gpu_count} x {gpu_slug(new.gpu_model)} in {region_slug(new.region)} at "
        f"{usd(new.on_demand_usd)}/h, up to {duration(new.mrl_seconds)}, {shown}"
    )
    changed = {name: value for name, value in new.field_values().items() if value != old.field_values()[name]}
    session.out.sent(sent, text, listing=listing, changed=changed)


@acting
async def close(
    session: CliSession,
    listings: Annotated[list[str], typer.Argument(metavar="LISTING...", help="Idle listings of yours.")],
) -> None:
    """Close idle listings permanently and reclaim their rent. `host change --hidden` is reversible."""
    sent = await session.signing.host.close_listings([await session.listing(each) for each in listings])
    document = {"listings": listings, "transactions": [str(one.signature) for one in sent]}
    session.out.show(document, *(f"{each} is closed." for each in listings))
