"""Whom a job, a machine, a request and a host belong to, which never changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator

from sqlalchemy import Connection, select

from indexer.api.feed.topics import HOST, HOST_ACCOUNT, JOB, LISTING, REQUEST, SPOT, WALLET
from indexer.models import Host, Listing, Rental, Request

KEPT = 50_000

Named = tuple[str, str]
"""A kind and an address."""


class Relations:
    """Finds and keeps them."""

    def __init__(self) -> None:
        self._known: OrderedDict[Named, tuple[Named, ...]] = OrderedDict()

    def of(self, connection: Connection, named: Iterable[Named]) -> set[Named]:
        """Everything named, and everything it belongs to."""
        found: set[Named] = set()
        waiting = list(named)
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += self._belongs_to(connection, each)
        return found

    def _belongs_to(self, connection: Connection, named: Named) -> tuple[Named, ...]:
        if named[0] not in _FINDERS:
            return ()
        known = self._known.get(named)
        if known is None:
            known = tuple(_look_up(connection, *named))
            if known:  # what is not there yet may come
                self._known[named] = known
                if len(self._known) > KEPT:
                    self._known.popitem(last=False)
        return known


_FINDERS = {
    JOB: (select(Rental.c.renter, Rental.c.listing), Rental.c.address, (WALLET, LISTING)),
    LISTING: (select(Listing.c.host), Listing.c.address, (HOST_ACCOUNT,)),
    REQUEST: (select(Request.c.renter), Request.c.address, (WALLET,)),
    HOST_ACCOUNT: (select(Host.c.authority, Host.c.authority), Host.c.address, (HOST, WALLET)),
}


def _look_up(connection: Connection, kind: str, address: str) -> Iterator[Named]:
    query, key, kinds = _FINDERS[kind]
    row = connection.execute(query.where(key == address)).first()
    if row is not None:
        yield from zip(kinds, row, strict=True)
    if kind == LISTING:
        yield SPOT, address
