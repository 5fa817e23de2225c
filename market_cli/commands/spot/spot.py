"""`gpu-market spot`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console

from anchor_client.amounts import usd
from anchor_client.generated.types import RentalKind
from anchor_client.kinds import LIVE_STATES
from anchor_client.market import SpotBook, SpotPlace, kind_name
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.output import Json, table
from market_cli.session import Session
from market_cli.units import duration, short


@acting
async def spot(
    session: Session,
    listing: Annotated[str, typer.Argument(metavar="LISTING", help="Listing address.", show_default=False)],
) -> None:
    """Show a machine's spot book: its holder, its challenger, and the lowest winning bid."""
    book = await session.market.spot.book(parse_address(listing))
    session.out.show(spot_document(book), lambda console: _say(console, book))


def spot_document(book: SpotBook) -> Json:
    """A spot book for programs; prices are micro-USD per machine-hour."""
    return {
        "listing": str(book.address),
        "on_demand_usd_micro": book.listing.on_demand_usd,
        "spot_min_usd_micro": book.listing.spot_min_usd,
        "holder": _place_document(book.holder),
        "challenger": _place_document(book.challenger),
        "preempt_at": book.preempt_at,
        "minimum_bid_usd_micro": book.least_bid_usd,
    }


def _place_document(place: SpotPlace | None) -> Json:
    if place is None:
        return None
    return {
        "job": str(place.address),
        "renter": str(place.rental.renter),
        "kind": kind_name(RentalKind(place.rental.kind)),
        "rate_usd_micro": place.rental.rate_usd,
        "state": LIVE_STATES[place.rental.state].value,
    }


def _say(console: Console, book: SpotBook) -> None:
    rows = table(None, "", "job", "renter", "kind", "$/h", "state")
    for name, place in (("holder", book.holder), ("challenger", book.challenger)):
        if place is not None:
            rental = place.rental
            rows.add_row(
                f"[bold]{name}[/]",
                str(place.address),
                short(rental.renter),
                kind_name(RentalKind(rental.kind)),
                usd(rental.rate_usd),
                LIVE_STATES[rental.state].value,
            )
    console.print(rows if rows.row_count else "The machine is free.")
    if book.preempt_at is not None:
        left = book.preempt_at - book.now
        at = datetime.fromtimestamp(book.preempt_at, UTC).strftime("%H:%M:%S")
        console.print(f"Handed over at {at} UTC" + (f", in {duration(left)}" if left > 0 else ": due now"))
    least = book.least_bid_usd
    full = usd(book.listing.on_demand_usd)
    if least is not None:
        console.print(f"Lowest winning bid: [bold]{usd(least)}/h[/]; {full}/h on demand displaces any spot holder")
    elif book.is_open:
        console.print(f"Spot orders are not accepted; {full}/h on demand")
    else:
        console.print("The machine cannot be bid on now")
