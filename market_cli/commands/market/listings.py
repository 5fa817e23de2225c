"""`gpu-market listings`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.amounts import usd
from anchor_client.resources.charges import say_charges
from anchor_client.resources.listing import Listing
from anchor_client.service.optional import optional
from anchor_client.symbols import MARKET_TOKEN
from market_cli.acting import acting
from market_cli.commands.market.arguments import MinDisk, MinDriver, MinNetwork, MinTflops, Verified
from market_cli.commands.market.from_api import told_by_api
from market_cli.commands.market.render import status, whole_percent
from market_cli.completion import complete_gpu, complete_region
from market_cli.output import table
from market_cli.session import CliSession
from market_cli.units import micro_usd, parse_duration

Gpu = Annotated[
    str | None,
    typer.Option("--gpu", help="GPU model id, as listed by `gpus`.", autocompletion=complete_gpu, show_default=False),
]
Region = Annotated[
    str | None,
    typer.Option("--region", help="Region, such as eu-west.", autocompletion=complete_region, show_default=False),
]


@acting
async def listings(
    session: CliSession,
    gpu: Gpu = None,
    region: Region = None,
    available: Annotated[bool, typer.Option("--available", help="Only machines available now.")] = False,
    available_for: Annotated[
        str | None, typer.Option("--for", help="Only machines available now for this duration.", show_default=False)
    ] = None,
    max_price: Annotated[
        str | None, typer.Option("--max-price", help="Maximum price in dollars per hour.", show_default=False)
    ] = None,
    verified: Verified = False,
    min_driver: MinDriver = None,
    min_tflops: MinTflops = None,
    min_disk_mbps: MinDisk = None,
    min_network_mbps: MinNetwork = None,
) -> None:
    """Show listed machines, cheapest first."""
    if available_for:
        seconds = parse_duration(available_for)
    elif available:
        seconds = 1
    else:
        seconds = None
    offers = await session.market.listings(gpu=gpu, region=region, available_for=seconds)
    terms = await session.market.reads.market()
    mint = await session.payment_mint(MARKET_TOKEN)
    found = [offer.listed(offer.token_rate(terms, mint)) for offer in offers]
    asked = {
        "verified": "true" if verified else None,
        "min_driver": min_driver,
        "min_tflops": min_tflops,
        "min_disk_mbps": min_disk_mbps,
        "min_network_mbps": min_network_mbps,
    }
    filters = {name: str(value) for name, value in asked.items() if value is not None}
    if filters:
        told = await told_by_api(session, filters)
        found = [listing.as_indexed(told[listing.id]) for listing in found if listing.id in told]
    if max_price is not None:
        most = micro_usd(max_price)
        found = [listing for listing in found if listing.market_rate.micro_usd_per_hour <= most]
    rows = table("listing", "gpu", "region", "$/h", "spot from", "charges", "uptime", "score", "status")
    rows.columns[0].no_wrap = True
    for listing in found:
        rows.add_row(*_row(listing))
    session.out.rows(found, rows, none="No matching machine.")


def _row(listing: Listing) -> list[str]:
    return [
        str(listing.id),
        f"{listing.gpu_count} x {listing.gpu}",
        listing.region,
        usd(listing.market_rate.micro_usd_per_hour),
        usd(listing.spot_min_usd) if listing.spot_min_usd else "—",
        optional(say_charges, listing.charges) or "—",
        optional(whole_percent, listing.uptime_bps) or "—",
        optional(whole_percent, listing.host_score_bps) or "—",
        status(listing),
    ]
