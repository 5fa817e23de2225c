"""Keeps sealed orders: for how long, and how many."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, exists, func, insert, select, update

from anchor_client.service.shares import NOWHERE, Nest
from indexer.models import Rental, Request, SealedOrder, UnclaimedOrder
from indexer.store.shares import count_of, first_of, heaviest

UNCLAIMED_SECONDS = 3_600
"""Seconds that an order is kept for which the index has no rental and no request."""
MAX_UNCLAIMED_OF_RENTER = 32
"""Of those that came in the last hour."""
MAX_UNCLAIMED = 4_096
"""Of all renters. Wallets cost nothing, so the network with the most makes room, with its oldest: its host has asked
for it long ago. An order whose rental the node has shown is none of them."""


class TooManyOrders(Exception):
    """The renter has no room for another order before some have waited long enough: in `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"no room for {seconds} s")
        self.seconds = seconds


class NewerOrderKept(Exception):
    """The renter has signed another version of the order since, or at the same moment."""


def keep(connection: Connection, order: SealedOrder, nest: Nest = NOWHERE, *, has_rental: bool = False) -> SealedOrder:
    """Keeps an order in place of an older version; the order as it is kept. TooManyOrders, NewerOrderKept.

    An order stays for an hour after it was received, and then while the renter has a rental or a request with its hash
    that has not ended, which is looked at once an hour. `has_rental` where the node has shown the rental.
    """
    _prune(connection, order.received_at)
    found = find(connection, order.renter, order.order_hash)
    if found is not None and found.signature != order.signature and found.signed_at >= order.signed_at:
        raise NewerOrderKept
    if has_rental:
        _forget(connection, UnclaimedOrder.table, order.renter, order.order_hash)
    elif found is None:
        _make_room(connection, order, nest)
        named = {"renter": order.renter, "order_hash": order.order_hash, "received_at": order.received_at}
        connection.execute(insert(UnclaimedOrder.table).values(named | nest._asdict()))
    if found is None:
        connection.execute(insert(SealedOrder.table).values(vars(order)))
    elif found.signature == order.signature:
        return found
    else:
        own = _is(SealedOrder.table, order.renter, order.order_hash)
        connection.execute(update(SealedOrder.table).where(own).values(vars(order)))
        own = _is(UnclaimedOrder.table, order.renter, order.order_hash)
        connection.execute(update(UnclaimedOrder.table).where(own).values(received_at=order.received_at))
    return order


def find(connection: Connection, renter: str, order_hash: str) -> SealedOrder | None:
    """The order of a renter with a hash."""
    own = _is(SealedOrder.table, renter, order_hash)
    row = connection.execute(select(SealedOrder.table).where(own)).mappings().first()
    return None if row is None else SealedOrder(**row)


def _prune(connection: Connection, now: int) -> None:
    due = SealedOrder.c.kept_until <= now
    claimed = _claimed(SealedOrder.table)
    connection.execute(update(SealedOrder.table).where(due, claimed).values(kept_until=now + UNCLAIMED_SECONDS))
    connection.execute(delete(SealedOrder.table).where(due))
    # By now each of these is gone, or has a rental.
    connection.execute(delete(UnclaimedOrder.table).where(UnclaimedOrder.c.received_at <= now - UNCLAIMED_SECONDS))


def _make_room(connection: Connection, order: SealedOrder, nest: Nest) -> None:
    table = UnclaimedOrder.table
    own = UnclaimedOrder.c.renter == order.renter
    unclaimed = select(func.count(), func.min(UnclaimedOrder.c.received_at)).where(own)
    if connection.execute(unclaimed).one()[0] >= MAX_UNCLAIMED_OF_RENTER:
        # Whether each has a rental is asked only where that may matter.
        connection.execute(delete(table).where(own, _claimed(table)))
        count, oldest = connection.execute(unclaimed).one()
        if count >= MAX_UNCLAIMED_OF_RENTER:
            raise TooManyOrders(oldest + UNCLAIMED_SECONDS - order.received_at)
    while count_of(connection, table) >= MAX_UNCLAIMED:
        first = first_of(connection, table, heaviest(connection, table, nest), UnclaimedOrder.c.received_at)
        key = first.renter, first.order_hash
        has_rental = connection.execute(select(table).where(_is(table, *key), _claimed(table))).first() is not None
        _forget(connection, table, *key)
        if not has_rental:
            _forget(connection, SealedOrder.table, *key)


def _forget(connection: Connection, table: Table, renter: str, order_hash: str) -> None:
    connection.execute(delete(table).where(_is(table, renter, order_hash)))


def _is(table: Table, renter: str, order_hash: str) -> ColumnElement[bool]:
    return and_(table.c.renter == renter, table.c.order_hash == order_hash)


def _claimed(table: Table) -> ColumnElement[bool]:
    """True of an order that has a rental or request in the index."""
    facts = [
        exists().where(
            each.c.renter == table.c.renter, each.c.order_hash == table.c.order_hash, each.c.ended_at.is_(None)
        )
        for each in (Rental, Request)
    ]
    return facts[0] | facts[1]
