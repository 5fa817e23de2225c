"""`gpu-market listings`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.amounts import usd
from anchor_client.market import Offer
from anchor_client.rules.catalog import GPU_BY_ID, REGION_BY_ID
from anchor_client.rules.listing import charges_of, has_charges
from market_cli.acting import acting
from market_cli.commands.charges.render import charges_document, say_charges
from market_cli.output import Json, table
from market_cli.session import Session
from market_cli.units import micro_usd, parse_duration

Gpu = Annotated[str | None, typer.Option("--gpu", help="GPU model id, as listed by `gpus`.", show_default=False)]
Region = Annotated[str | None, typer.Option("--region", help="Region, such as eu-west.", show_default=False)]


@acting
async def listings(
    session: Session,
    gpu: Gpu = None,
    region: Region = None,
    available: Annotated[bool, typer.Option("--available", help="Only machines available now.")] = False,
    available_for: Annotated[
        str | None, typer.Option("--for", help="Only machines available now for this duration.", show_default=False)
    ] = None,
    max_price: Annotated[
        str | None, typer.Option("--max-price", help="Maximum price in dollars per hour.", show_default=False)
    ] = None,
) -> None:
    """Show listed machines, cheapest first."""
    seconds = parse_duration(available_for) if available_for else (1 if available else None)
    offers = await session.market.listings(gpu=gpu, region=region, available_for=seconds)
    if max_price is not None:
        most = micro_usd(max_price)
        offers = [offer for offer in offers if offer.listing.on_demand_usd <= most]
    rows = table(None, "listing", "gpu", "region", "$/h", "spot from", "charges", "uptime", "score", "state")
    rows.columns[0].no_wrap = True
    for offer in offers:
        rows.add_row(*_row(offer))
    session.out.show([listing_document(offer) for offer in offers], lambda console: console.print(rows))


def state_of(offer: Offer) -> str:
    """A listing's state in one word."""
    if not offer.approved:
        return "not approved"
    if not offer.listing.visible:
        return "hidden"
    if not offer.online:
        return "offline"
    return "available" if offer.is_idle else "rented"


def listing_document(offer: Offer) -> Json:
    """A listing for programs; prices are micro-USD per machine-hour."""
    listing = offer.listing
    return {
        "id": str(offer.address),
        "host": str(listing.host),
        "number": listing.id,
        "gpu": _gpu(offer),
        "gpu_count": listing.gpu_count,
        "vram_gb": listing.vram_gb,
        "region": _region(offer),
        "on_demand_usd_micro": listing.on_demand_usd,
        "spot_min_usd_micro": listing.spot_min_usd,
        "mrl_seconds": listing.mrl_seconds,
        "cpu_cores": listing.cpu_cores,
        "ram_gb": listing.ram_gb,
        "disk_gb": listing.disk_gb,
        "net_down_mbps": listing.net_down_mbps,
        "net_up_mbps": listing.net_up_mbps,
        "charges": charges_document(charges_of(listing)) if has_charges(listing) else None,
        "uptime_ppm": offer.uptime_ppm,
        "host_score_bps": offer.score,
        "state": state_of(offer),
        "available": offer.is_available,
    }


def _row(offer: Offer) -> list[str]:
    listing = offer.listing
    state = state_of(offer)
    return [
        str(offer.address),
        f"{listing.gpu_count} x {_gpu(offer)}",
        _region(offer),
        usd(listing.on_demand_usd),
        usd(listing.spot_min_usd) if listing.spot_min_usd else "—",
        say_charges(charges_of(listing)),
        f"{offer.uptime_ppm // 10_000} %",
        "—" if offer.score is None else f"{offer.score // 100} %",
        f"[green]{state}[/]" if offer.is_available else state,
    ]


def _gpu(offer: Offer) -> str:
    model = GPU_BY_ID.get(offer.listing.gpu_model)
    return model.slug if model is not None else f"model {offer.listing.gpu_model}"


def _region(offer: Offer) -> str:
    region = REGION_BY_ID.get(offer.listing.region)
    return region.slug if region is not None else f"region {offer.listing.region}"
