"""`gpu-market spot`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from rich.console import RenderableType

from anchor_client.amounts import duration, usd
from anchor_client.market import SpotBook, kind_name
from market_cli.acting import acting
from market_cli.commands.arguments import ListingAddress
from market_cli.output import table
from market_cli.session import CliSession


@acting
async def spot(
    session: CliSession,
    listing: ListingAddress,
) -> None:
    """Show a machine's spot book: its holder, its challenger, and the lowest winning bid."""
    book = await session.market.spot.book(await session.listing(listing))
    session.out.show(book.shown, *_lines(book))


def _lines(book: SpotBook) -> Iterator[RenderableType]:
    shown = book.shown
    rows = table("", "job", "renter", "kind", "$/h", "state")
    for name, place in (("holder", shown.holder), ("challenger", shown.challenger)):
        if place is not None:
            kind = kind_name(place.kind)
            price = usd(place.rate_usd)
            rows.add_row(f"[bold]{name}[/]", str(place.job), str(place.renter), kind, price, place.status.value)
    yield rows if rows.row_count else "The machine is free."
    if book.preempt_at is not None:
        left = book.preempt_at - book.now
        at = datetime.fromtimestamp(book.preempt_at, UTC).strftime("%H:%M:%S")
        due = f", in {duration(left)}" if left > 0 else ": due now"
        yield f"Handed over at {at} UTC{due}"
    least = book.least_bid_usd
    full = f"{usd(book.listing.on_demand_usd)}/h on demand"
    if least is not None:
        yield (f"Lowest winning bid: [bold]{usd(least)}/h[/]; {full} cannot be outbid")
    elif book.takes_full_price:
        yield (f"No spot bid can win; {full} can")
    else:
        yield ("The machine takes no bids now")
