"""Words of a change: names of tables, addresses of rentals and of their renters, or EVERYTHING."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from indexer.models import (
    Compensation,
    Listing,
    Meter,
    PaymentMint,
    Record,
    Rental,
    RentalIssue,
    RentalState,
    Settlement,
)
from indexer.store.rows import Rows
from indexer.store.statements import Values

EVERYTHING: Final = "*"
MANY: Final = "**"
"""More than are written: as EVERYTHING to those who keep something of the index. Its events say what has changed."""

Concern: TypeAlias = Callable[[Values | None, Any], Iterable[str | None]]
"""Addresses of the rentals that a row concerns, by its values before and after."""


def _own(_: Values | None, row: Any) -> Iterable[str]:
    return (row.rental,)


def _of_machine(before: Values | None, listing: Listing) -> Iterable[str | None]:
    """Its holder and who waits for it: while there is both, or just was, their jobs read differently."""
    if listing.challenger is None and (before is None or before["challenger"] is None):
        return ()
    earlier = () if before is None else (before["current"], before["challenger"])
    return listing.current, listing.challenger, *earlier


CONCERN_JOBS: Final[Mapping[type[Record], Concern]] = {
    Rental: lambda _, rental: (rental.address,),
    Listing: _of_machine,
    Compensation: lambda _, paid: (paid.holder,),
    Meter: lambda before, meter: (meter.rental,) if before is None else (),
    RentalState: _own,
    Settlement: _own,
    RentalIssue: _own,
}
"""Rentals whose jobs may read differently after a change, by the table that changes."""
FIXED: Final = frozenset({PaymentMint})
"""Tables of which jobs say nothing that ever changes: a mint's decimals."""


def words_of(rows: Rows) -> set[str]:
    """The words for rows that are about to be written."""
    words: set[str] = set()
    concerned: set[str | None] = set()
    for kind in rows.kinds:
        concern = CONCERN_JOBS.get(kind)
        for change in rows.changed(kind):
            words.add(kind.table.name)
            if concern is None:
                break
            concerned.update(concern(*change))
    rentals = {address for address in concerned if address is not None}
    rows.load(Rental, ((address,) for address in rentals))
    if rentals:
        words |= {Rental.table.name, *rentals}
    return words | {rental.renter for address in rentals if (rental := rows.find(Rental, address)) is not None}
