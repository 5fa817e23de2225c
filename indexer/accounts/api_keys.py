"""API keys: what scripts of a wallet may do without its signature."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from indexer.accounts.models import ApiKey
from indexer.accounts.secrets import digest_of
from indexer.store.shares import NetworkFull, has_room

MAX_KEYS = 50
"""Of a wallet."""
USED_SECONDS = 60
"""Precision of the time at which a key was last used."""


class Scope(StrEnum):
    """A permission of an API key."""

    READ = "read"
    WEBHOOKS = "webhooks"
    TRANSACTIONS = "transactions"


MOST: Final = 20_000
"""Of all wallets, which cost nothing: no network has more than its part."""


class TooManyKeys(Exception):
    """The wallet has MAX_KEYS."""


def create(connection: Connection, key: ApiKey) -> None:
    """Keeps a new key; any wallet's that have expired make room. TooManyKeys, NetworkFull."""
    count = select(func.count()).select_from(ApiKey.table).where(ApiKey.c.wallet == key.wallet)
    if connection.execute(count).scalar_one() >= MAX_KEYS:
        raise TooManyKeys
    if not has_room(connection, ApiKey.table, MOST, key.nest):
        connection.execute(delete(ApiKey.table).where(ApiKey.c.expires_at <= key.created_at))
        if not has_room(connection, ApiKey.table, MOST, key.nest):
            raise NetworkFull
    connection.execute(insert(ApiKey.table).values(vars(key)))


def listed(connection: Connection, wallet: str) -> Sequence[ApiKey]:
    """A wallet's, the newest first; expired ones included."""
    own = select(ApiKey.table).where(ApiKey.c.wallet == wallet).order_by(ApiKey.c.created_at.desc(), ApiKey.c.id)
    return [ApiKey(**row) for row in connection.execute(own).mappings()]


def revoke(connection: Connection, wallet: str, id: str) -> bool:
    """Forgets a key of a wallet; whether there was one."""
    return connection.execute(delete(ApiKey.table).where(ApiKey.c.wallet == wallet, ApiKey.c.id == id)).rowcount > 0


def find(connection: Connection, secret: str, now: int) -> ApiKey | None:
    """The key that a secret is, unless it has expired."""
    valid = or_(ApiKey.c.expires_at.is_(None), ApiKey.c.expires_at > now)
    row = connection.execute(select(ApiKey.table).where(ApiKey.c.digest == digest_of(secret), valid)).mappings().first()
    return None if row is None else ApiKey(**row)


def touch(connection: Connection, id: str, now: int) -> None:
    """Keeps that a key was used."""
    connection.execute(update(ApiKey.table).where(ApiKey.c.id == id).values(last_used_at=now))
