"""`gpu-market listings`."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer
from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.generated.types import RentalKind
from anchor_client.market.host.needs import MachineNeeds
from anchor_client.resources.charges import say_charges
from anchor_client.resources.listing import Listing
from anchor_client.resources.rate import find_rate
from anchor_client.rules.gpu_name import match_gpu
from anchor_client.service.optional import optional
from anchor_client.symbols import MARKET_TOKEN
from market_cli.acting import acting
from market_cli.commands.arguments import Pay
from market_cli.commands.market.from_api import told_by_api
from market_cli.commands.market.render import said_price, status, whole_percent
from market_cli.lazy import load
from market_cli.ordering.machine_options import MachineOptions
from market_cli.output import table
from market_cli.plain_text import theirs
from market_cli.session import CliSession
from market_cli.units import micro_usd, parse_duration, parse_score


@acting
async def listings(
    session: CliSession,
    machine: MachineOptions,
    *,
    available: Annotated[bool, typer.Option("--available", help="Only machines available now.")] = False,
    available_for: Annotated[
        str | None, typer.Option("--for", help="Only machines available now for this duration.", show_default=False)
    ] = None,
    pay: Pay = MARKET_TOKEN,
    max_price: Annotated[
        str | None,
        typer.Option(
            "--max-price",
            help="Maximum dollars per hour that an order on demand pays in this token.",
            show_default=False,
        ),
    ] = None,
    save: Annotated[
        str | None,
        typer.Option(
            "--save",
            metavar="NAME",
            help="Save the search instead: your webhooks are notified of machines that come to fit.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show listed machines and what an order placed now pays for an hour, cheapest first."""
    if save is not None:
        await _save(session, save, machine, pay, max_price)
        return
    if available_for:
        seconds = parse_duration(available_for)
    elif available:
        seconds = 1
    else:
        seconds = None
    needs = MachineNeeds(count=machine.gpus, min_vram_gb=machine.min_vram, min_score_bps=parse_score(machine.min_score))
    listed = await session.market.listings(gpu=machine.gpu, region=machine.region, available_for=seconds)
    mint = (await session.payment_mint(pay)).mint
    pricing = await session.market.pricing()
    offers = [offer.listed(pricing) for offer in listed if offer.meets(needs)]
    found = sorted(offers, key=lambda listing: _price(listing, mint))
    if machine.indexed:
        told = await told_by_api(session, machine.indexed)
        found = [listing.as_indexed(told[listing.id]) for listing in found if listing.id in told]
    if max_price is not None:
        most = micro_usd(max_price)
        found = [listing for listing in found if _price(listing, mint) <= most]
    rows = table(
        "listing",
        "gpu",
        "region",
        "$/h before fees",
        f"$/h in {pay}",
        "spot from",
        "charges",
        "uptime",
        "score",
        "status",
    )
    rows.columns[0].no_wrap = True
    for listing in found:
        rows.add_row(*_row(listing, mint))
    session.out.rows(found, rows, none="No matching machine.")


async def _save(session: CliSession, name: str, machine: MachineOptions, pay: str, max_price: str | None) -> None:
    filters: dict[str, Any] = {
        "gpu": optional(_slug_of, machine.gpu),
        "region": machine.region,
        "gpu_count": machine.gpus,
        "min_vram_gb": machine.min_vram or None,
        "min_score_bps": parse_score(machine.min_score) or None,
        "max_price": optional(micro_usd, max_price),
        **machine.indexed,
    }
    if pay != MARKET_TOKEN:
        filters["pay"] = str((await session.payment_mint(pay)).mint)
    given = {name: value for name, value in filters.items() if value is not None}
    saved = await load("market_cli.commands.search.asking:save")(session, name, given)
    session.out.show(saved, theirs(saved["id"]), "Saved: webhooks with the type search.fits are notified.")


def _slug_of(gpu: str) -> str:
    return match_gpu(gpu).slug


def _price(listing: Listing, mint: Pubkey) -> float:
    """Micro-USD that an order on demand pays an hour; infinite where the machine takes none."""
    rate = find_rate(listing.rates, mint)
    return math.inf if rate is None else rate.micro_usd_per_hour


def _row(listing: Listing, mint: Pubkey) -> list[str]:
    return [
        str(listing.id),
        f"{listing.gpu_count} x {listing.gpu}",
        listing.region,
        usd(listing.market_rate.micro_usd_per_hour),
        said_price(find_rate(listing.rates, mint)),
        said_price(find_rate(listing.rates, mint, RentalKind.SPOT)),
        optional(say_charges, listing.charges) or "—",
        optional(whole_percent, listing.uptime_bps) or "—",
        optional(whole_percent, listing.host_score_bps) or "—",
        status(listing),
    ]
