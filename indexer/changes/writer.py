"""Changes by a commit, told in its own SQL transaction to readers that keep answers.

The words are names of tables, addresses of rentals and of their renters, or EVERYTHING. On PostgreSQL a NOTIFY wakes
readers; SQLite itself tells a connection that another has committed.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, delete, func, insert, select

from indexer.models import Change, Compensation, Listing, Meter, Rental
from indexer.store.rows import Rows

EVERYTHING = "*"
CHANNEL = "gpu_market_changes"
KEPT = 256
"""Commits whose changes are kept; whoever has missed more forgets everything."""
MOST_WORDS = 1_000


def changed_by(rows: Rows) -> set[str]:
    """The words for rows that are about to be written."""
    words = {kind.table.name for kind in rows.kinds if next(iter(rows.changed(kind)), None) is not None}
    rentals = {rental.address: rental for _, rental in rows.changed(Rental)}
    for before, listing in rows.changed(Listing):
        occupants = {listing.current, listing.challenger, *(() if before is None else _occupants(before))}
        for address in occupants - rentals.keys() - {None}:
            rental = rows.find(Rental, address)
            if rental is not None and _is_contested(before, listing):
                rentals[rental.address] = rental
    words |= {paid.holder for _, paid in rows.changed(Compensation)}
    words |= {meter.rental for before, meter in rows.changed(Meter) if before is None}
    words |= {word for rental in rentals.values() for word in (rental.address, rental.renter)}
    return words | {Rental.table.name} if rentals else words


def tell(connection: Connection, words: Iterable[str]) -> None:
    """Tells them once the transaction commits."""
    told = sorted(words)
    if not told:
        return
    text = EVERYTHING if len(told) > MOST_WORDS or EVERYTHING in told else " ".join(told)
    connection.execute(insert(Change.table).values(words=text))
    newest = select(func.max(Change.c.number)).scalar_subquery()
    connection.execute(delete(Change.table).where(Change.c.number <= newest - KEPT))
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_notify(CHANNEL, "")))


def _occupants(listing: dict[str, str | None]) -> tuple[str | None, str | None]:
    return listing["current"], listing["challenger"]


def _is_contested(before: dict[str, str | None] | None, listing: Listing) -> bool:
    """True where an order waits for the machine, or did: its holder's job then reads differently."""
    return listing.challenger is not None or (before is not None and before["challenger"] is not None)
