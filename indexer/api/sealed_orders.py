"""Keeps sealed orders: for how long, and how many."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, func, insert, not_, select, update

from indexer.api.limits.shares import LEVELS, networks_of
from indexer.models import Rental, Request, SealedOrder

UNCLAIMED_SECONDS = 3_600
"""Seconds that an order is kept for which the index has no rental and no request."""
MAX_UNCLAIMED_OF_RENTER = 32
"""Of those that came in the last hour."""
MAX_UNCLAIMED = 4_096
"""Of all renters. Wallets cost nothing, so the network with the most makes room, with its oldest: its host has asked
for it long ago."""


class TooManyOrders(Exception):
    """The renter has no room for another order before some have waited long enough: in `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"no room for {seconds} s")
        self.seconds = seconds


class NewerOrderKept(Exception):
    """The renter has signed another version of the order since, or at the same moment."""


def keep(connection: Connection, order: SealedOrder) -> SealedOrder:
    """Keeps an order in place of an older version; the order as it is kept. TooManyOrders, NewerOrderKept.

    An order stays for an hour after it was received, and then while the renter has a rental or a request with its hash
    that has not ended, which is looked at once an hour.
    """
    _prune(connection, order.received_at)
    found = find(connection, order.renter, order.order_hash)
    values = vars(order)
    if found is None:
        _make_room(connection, order)
        connection.execute(insert(SealedOrder.table).values(values))
    elif found.signature == order.signature:
        return found
    elif found.signed_at >= order.signed_at:
        raise NewerOrderKept
    else:
        connection.execute(update(SealedOrder.table).where(_is(order.renter, order.order_hash)).values(values))
    return order


def find(connection: Connection, renter: str, order_hash: str) -> SealedOrder | None:
    """The order of a renter with a hash."""
    row = connection.execute(select(SealedOrder.table).where(_is(renter, order_hash))).mappings().first()
    return None if row is None else SealedOrder(**row)


def _prune(connection: Connection, now: int) -> None:
    due = SealedOrder.c.kept_until <= now
    connection.execute(update(SealedOrder.table).where(due, _CLAIMED).values(kept_until=now + UNCLAIMED_SECONDS))
    connection.execute(delete(SealedOrder.table).where(due))


def _make_room(connection: Connection, order: SealedOrder) -> None:
    recent = SealedOrder.c.received_at > order.received_at - UNCLAIMED_SECONDS
    unclaimed = select(func.count(), func.min(SealedOrder.c.received_at)).where(recent, not_(_CLAIMED))
    count, oldest = connection.execute(unclaimed.where(SealedOrder.c.renter == order.renter)).one()
    if count >= MAX_UNCLAIMED_OF_RENTER:
        raise TooManyOrders(oldest + UNCLAIMED_SECONDS - order.received_at)
    # Whether each has a rental is asked only where that may matter: to count them takes far less.
    if connection.scalars(select(func.count()).where(recent)).one() < MAX_UNCLAIMED:
        return
    if connection.execute(unclaimed).one()[0] >= MAX_UNCLAIMED:
        origin = _heaviest(connection, order.origin)
        first = select(SealedOrder.c.renter, SealedOrder.c.order_hash).where(
            not_(_CLAIMED), SealedOrder.c.origin == origin
        )
        key = connection.execute(first.order_by(SealedOrder.c.received_at, SealedOrder.c.signed_at).limit(1)).one()
        connection.execute(delete(SealedOrder.table).where(_is(*key)))


def _heaviest(connection: Connection, newcomer: str) -> str:
    """The origin whose order makes room: of the widest network with the most orders, within it of the next, and so on.
    The newcomer's counts as well, and is preferred among equals."""
    counted = select(SealedOrder.c.origin, func.count()).where(not_(_CLAIMED)).group_by(SealedOrder.c.origin)
    counts: dict[str, int] = {row[0]: int(row[1]) for row in connection.execute(counted)}
    if newcomer in counts:
        counts[newcomer] += 1
    left = list(counts)
    for level in range(LEVELS):
        weights: Counter[str] = Counter()
        for origin in left:
            weights[_network(origin, level)] += counts[origin]
        heaviest = max(weights, key=lambda name: (weights[name], name == _network(newcomer, level)))
        left = [origin for origin in left if _network(origin, level) == heaviest]
    return left[0]


def _network(origin: str, level: int) -> str:
    """The network around an origin, the widest at level 0; the origin itself beyond the narrowest."""
    around: tuple[str, ...] = networks_of(origin)[::-1]
    return around[level] if level < len(around) else origin


def _is(renter: str, order_hash: str) -> ColumnElement[bool]:
    return and_(SealedOrder.c.renter == renter, SealedOrder.c.order_hash == order_hash)


_CLAIMED = exists().where(
    Rental.c.renter == SealedOrder.c.renter,
    Rental.c.order_hash == SealedOrder.c.order_hash,
    Rental.c.ended_at.is_(None),
) | exists().where(
    Request.c.renter == SealedOrder.c.renter,
    Request.c.order_hash == SealedOrder.c.order_hash,
    Request.c.ended_at.is_(None),
)
