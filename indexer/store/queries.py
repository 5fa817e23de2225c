"""Queries that several modules share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, and_, bindparam, select

from anchor_client.rules.parameters import BY_NAME
from anchor_client.rules.verified import VERIFIED_SECONDS
from indexer.models import DeadLetter, Host, Listing, RawEvent
from indexer.status import Status
from indexer.store.raw_events import traces_of
from indexer.store.statements import among

DEFAULT_OFFLINE_AFTER = BY_NAME["offline_after"].default
DEFAULT_PRIOR_USD = BY_NAME["reputation_prior_usd"].default
"""Used until the market's own are known."""

ONLINE = and_(Listing.c.last_heartbeat_at >= bindparam("heard_since", type_=BigInteger), Listing.c.silence == "heard")
"""Listings whose host has been heard from in time."""

AVAILABLE = and_(
    Listing.c.visible,
    Listing.c.current.is_(None),
    Listing.c.challenger.is_(None),
    Listing.c.owed_mint.is_(None),
    Host.c.approved,
    ONLINE,
)
"""Listings that an order can take now, of approved hosts; needs Host joined."""


VERIFIED = Listing.c.proven_seconds >= VERIFIED_SECONDS
"""Listings that renters' rentals speak for."""


def heard_since(status: Status) -> dict[str, int]:
    """Parameters of ONLINE and AVAILABLE: the unix second from which on a heartbeat is in time."""
    if status.market is None:
        offline_after = DEFAULT_OFFLINE_AFTER
    else:
        offline_after = status.market.offline_after
    return {"heard_since": status.now() - offline_after}


def prior_usd(status: Status) -> int:
    """Micro-USD that the half of each part of a host's score weighs."""
    if status.market is None:
        return DEFAULT_PRIOR_USD
    return status.market.reputation_prior_usd


def keys_of(connection: Connection, slots: Mapping[str, int]) -> Iterator[tuple[Any, ...]]:
    """The keys of the events, readable or not, that the database has of transactions, given by signature."""
    traces = [trace for signature, slot in slots.items() for trace in traces_of(signature, slot)]
    raw = select(*_key(RawEvent)).where(among(connection, RawEvent.c.trace, traces))
    yield from (tuple(key) for key in connection.execute(raw) if key.signature in slots)
    # It hardly ever has any, and to ask that takes less than to look for each signature.
    if connection.execute(select(DeadLetter.c.signature).limit(1)).first() is not None:
        dead = select(*_key(DeadLetter)).where(among(connection, DeadLetter.c.signature, list(slots)))
        yield from map(tuple, connection.execute(dead))


def _key(record: type[RawEvent | DeadLetter]) -> tuple[Column[Any], ...]:
    return record.c.signature, record.c.instruction_index, record.c.inner_index
