"""A wallet's standing in the market, by the index."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, exists, literal, or_, select

from indexer.models import Host, Listing, Rental, Stake


class WalletStanding(NamedTuple):
    """Roles of a wallet: it has ever rented, offers a machine, has stake in any state."""

    renter: bool = False
    host: bool = False
    staker: bool = False


def standing_of(connection: Connection, wallet: str) -> WalletStanding:
    """The standing of a wallet."""
    facts = (
        exists().where(Rental.c.renter == wallet),
        exists().where(Host.c.authority == wallet, Listing.c.host == Host.c.address, Listing.c.closed_at == 0),
        exists().where(Stake.c.owner == wallet, or_(Stake.c.active > 0, Stake.c.warming > 0, Stake.c.cooling > 0)),
    )
    return WalletStanding(*(connection.execute(select(literal(1)).where(fact)).first() is not None for fact in facts))
