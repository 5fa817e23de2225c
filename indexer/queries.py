"""Questions that several readers ask of the tables."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, and_, select

from indexer.models import Host, Listing, Market, PaymentMint
from indexer.status import Status

DEFAULT_OFFLINE_AFTER = 300
"""Seconds of silence the program starts with; the market's own value is used once the chain has been seen."""


def online(status: Status) -> ColumnElement[bool]:
    """Listings whose host has been heard from in time."""
    offline_after = DEFAULT_OFFLINE_AFTER if status.market is None else status.market.offline_after
    return Listing.last_heartbeat_at >= status.now() - offline_after


def available(status: Status) -> ColumnElement[bool]:
    """Listings that an order can take now, of approved hosts; needs Host joined."""
    return and_(Listing.visible, Listing.current.is_(None), Listing.challenger.is_(None), Host.approved, online(status))


def payment_mints(connection: Connection) -> dict[str, PaymentMint]:
    """Payment mints by the mint's address."""
    rows = connection.execute(select(PaymentMint.__table__)).mappings()
    return {row["mint"]: PaymentMint(**row) for row in rows}


def market_token(connection: Connection) -> PaymentMint | None:
    """The market token as a payment mint."""
    mint = select(PaymentMint.__table__).join(Market, Market.market_mint == PaymentMint.mint)
    row = connection.execute(mint).mappings().first()
    return None if row is None else PaymentMint(**row)
