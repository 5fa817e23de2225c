"""A wallet's standing in the market, by the index."""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlalchemy import Connection, Exists, and_, exists, literal, or_, select

from anchor_client.kinds import JobState
from indexer.models import Host, Listing, Rental, Stake
from indexer.status import Status
from indexer.store.queries import heard_since

RENTED_SECONDS: Final = 30 * 86_400
"""Seconds after its end that a rental counts."""
DEFAULT_LEAST_STAKE: Final = 10**12
"""Base units that count until the market's parameters are known."""


class WalletStanding(NamedTuple):
    """Roles of a wallet: it has ever rented, offers a machine, has stake in any state.

    `has_weight` is true where that costs something: a rental that runs or has run lately, a listing that is heard, or
    as much stake as one more rental at a time takes (`quota_stake_step`).
    """

    renter: bool = False
    host: bool = False
    staker: bool = False
    has_weight: bool = False


def standing_of(connection: Connection, wallet: str, chain: Status) -> WalletStanding:
    """The standing of a wallet."""
    now = chain.now()
    least_stake = DEFAULT_LEAST_STAKE if chain.market is None else max(1, chain.market.quota_stake_step)
    offers = and_(Host.c.authority == wallet, Listing.c.host == Host.c.address, Listing.c.closed_at == 0)
    is_heard = and_(Listing.c.visible, Listing.c.last_heartbeat_at >= heard_since(chain)["heard_since"])
    has_run = and_(Rental.c.started_at.is_not(None), Rental.c.ended_at >= now - RENTED_SECONDS)
    roles = (
        exists().where(Rental.c.renter == wallet),
        exists().where(offers),
        exists().where(Stake.c.owner == wallet, or_(Stake.c.active > 0, Stake.c.warming > 0, Stake.c.cooling > 0)),
    )
    weighty = (
        exists().where(Rental.c.renter == wallet, or_(Rental.c.status == JobState.RUNNING.value, has_run)),
        exists().where(offers, is_heard),
        exists().where(Stake.c.owner == wallet, Stake.c.active >= least_stake),
    )
    renter, host, staker = held = [_holds(connection, role) for role in roles]
    weighs = any(is_held and _holds(connection, fact) for is_held, fact in zip(held, weighty, strict=True))
    return WalletStanding(renter, host, staker, weighs)


def _holds(connection: Connection, fact: Exists) -> bool:
    return connection.execute(select(literal(1)).where(fact)).first() is not None
