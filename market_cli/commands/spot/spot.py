"""`gpu-market spot`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console

from anchor_client.amounts import usd
from anchor_client.market import SpotBook, kind_name
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.output import table
from market_cli.session import Session
from market_cli.units import duration, short


@acting
async def spot(
    session: Session,
    listing: Annotated[str, typer.Argument(metavar="LISTING", help="Listing address.", show_default=False)],
) -> None:
    """Show a machine's spot book: its holder, its challenger, and the lowest winning bid."""
    book = await session.market.spot.book(parse_address(listing))
    session.out.show(book.shown, lambda console: _say(console, book))


def _say(console: Console, book: SpotBook) -> None:
    shown, rows = book.shown, table(None, "", "job", "renter", "kind", "$/h", "state")
    for name, place in (("holder", shown.holder), ("challenger", shown.challenger)):
        if place is not None:
            kind, price = kind_name(place.kind), usd(place.rate_usd)
            rows.add_row(f"[bold]{name}[/]", str(place.job), short(place.renter), kind, price, place.status.value)
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
