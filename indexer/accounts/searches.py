"""Searches that wallets have saved: their webhooks are notified of listings that come to fit."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import Connection, delete, insert, select

from indexer.accounts import webhooks
from indexer.accounts.models import SavedSearch, Webhook
from indexer.store.shares import NetworkFull, has_room
from indexer.store.statements import among

MAX_SEARCHES: Final = 10
"""Of a wallet."""
MOST: Final = 1_000
"""Of all wallets, which cost nothing: no network has more than its part. An event tries all of them on a listing."""


class TooManySearches(Exception):
    """The wallet has MAX_SEARCHES."""


def create(connection: Connection, search: SavedSearch) -> SavedSearch:
    """Keeps a new search, and returns it; the wallet's own of the same filters if there is one, whatever its name.
    TooManySearches, NetworkFull."""
    own = listed(connection, search.wallet)
    same = next((each for each in own if each.filters == search.filters), None)
    if same is not None:
        return same
    if len(own) >= MAX_SEARCHES:
        raise TooManySearches
    if not has_room(connection, SavedSearch.table, MOST, search.nest):
        raise NetworkFull
    connection.execute(insert(SavedSearch.table).values(vars(search)))
    _note_change(connection, search.wallet)
    return search


def listed(connection: Connection, wallet: str) -> Sequence[SavedSearch]:
    """A wallet's, the newest first."""
    return _read(connection, [wallet])


def of_wallets(connection: Connection, wallets: Collection[str]) -> dict[str, list[SavedSearch]]:
    """Those of wallets that have any, by wallet."""
    found: dict[str, list[SavedSearch]] = {}
    for search in _read(connection, list(wallets)):
        found.setdefault(search.wallet, []).append(search)
    return found


def remove(connection: Connection, wallet: str, id: str) -> bool:
    """Forgets one of a wallet's; whether there was one."""
    own = delete(SavedSearch.table).where(SavedSearch.c.wallet == wallet, SavedSearch.c.id == id)
    if not connection.execute(own).rowcount:
        return False
    _note_change(connection, wallet)
    return True


def _read(connection: Connection, wallets: Sequence[str]) -> list[SavedSearch]:
    chosen = select(SavedSearch.table).where(among(connection, SavedSearch.c.wallet, wallets))
    rows = connection.execute(chosen.order_by(SavedSearch.c.created_at.desc(), SavedSearch.c.id)).mappings()
    return [SavedSearch(**row) for row in rows]


def _note_change(connection: Connection, wallet: str) -> None:
    """Has the process that sends read the wallet's endpoints again, and with them its searches."""
    endpoints = connection.execute(select(Webhook.c.id).where(Webhook.c.wallet == wallet)).scalars().all()
    webhooks.note_change(connection, endpoints)
    webhooks.ring(connection)
