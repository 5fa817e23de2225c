"""Endpoints of wallets that notices are sent to."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from secrets import token_bytes
from typing import Any, Final

from sqlalchemy import Connection, case, delete, func, insert, select, update

from indexer.accounts.models import NoticePlace, Webhook, WebhookChange, WebhookDelivery
from indexer.changes.writer import CHANNEL
from indexer.store.shares import NetworkFull, has_room

SECRET_PREFIX = "whsec_"
SECRET_BYTES = 32
OVERLAP_SECONDS = 86_400
"""Seconds that a replaced secret still signs, beside the new one."""


MOST: Final = 20_000
"""Of all wallets, which cost nothing: no network has more than its part."""


KEPT_CHANGES: Final = 1_000
"""Whoever has missed more reads all endpoints again."""


class TooManyWebhooks(Exception):
    """The wallet has as many as it may have."""


def new_signing_secret() -> str:
    """A random one, as Standard Webhooks writes them."""
    return SECRET_PREFIX + b64encode(token_bytes(SECRET_BYTES)).decode()


def create(connection: Connection, webhook: Webhook, most: int) -> None:
    """Keeps a new endpoint of a wallet that may have `most`. TooManyWebhooks, NetworkFull."""
    count = select(func.count()).select_from(Webhook.table).where(Webhook.c.wallet == webhook.wallet)
    if connection.execute(count).scalar_one() >= most:
        raise TooManyWebhooks
    if not has_room(connection, Webhook.table, MOST, webhook.nest):
        raise NetworkFull
    place = connection.execute(select(NoticePlace.c.index_id, NoticePlace.c.number)).first()
    if place is not None and place.index_id != webhook.index_id:
        webhook.index_id, webhook.number, webhook.anew = place.index_id, 0, True
    # What has come since its number was read, all others have been told of.
    webhook.is_behind = place is not None and place.number > webhook.number
    connection.execute(insert(Webhook.table).values(vars(webhook)))
    note_change(connection, [webhook.id])
    ring(connection)


def listed(connection: Connection, wallet: str) -> list[Webhook]:
    """A wallet's, the newest first."""
    own = select(Webhook.table).where(Webhook.c.wallet == wallet).order_by(Webhook.c.created_at.desc(), Webhook.c.id)
    return [Webhook(**row) for row in connection.execute(own).mappings()]


def find(connection: Connection, wallet: str, id: str) -> Webhook | None:
    """One of a wallet's."""
    own = select(Webhook.table).where(Webhook.c.wallet == wallet, Webhook.c.id == id)
    row = connection.execute(own).mappings().first()
    return None if row is None else Webhook(**row)


def change(connection: Connection, wallet: str, id: str, values: Mapping[str, Any]) -> Webhook | None:
    """Changes one of a wallet's; None if there is none. One that is disabled continues from here later."""
    if values:
        own = (Webhook.c.wallet == wallet) & (Webhook.c.id == id)
        connection.execute(update(Webhook.table).where(own).values(dict(values)))
        if values.get("disabled_at") is not None:
            stop_here(connection, id)
        note_change(connection, [id])
        ring(connection)
    return find(connection, wallet, id)


def rotate(connection: Connection, wallet: str, id: str, secret: str, now: int) -> Webhook | None:
    """Gives an endpoint another secret; the one that it had signs too for OVERLAP_SECONDS."""
    found = find(connection, wallet, id)
    if found is None:
        return None
    values = {"secret": secret, "old_secret": found.secret, "old_secret_until": now + OVERLAP_SECONDS}
    return change(connection, wallet, id, values)


def remove(connection: Connection, wallet: str, id: str) -> bool:
    """Forgets one of a wallet's and its notices; whether there was one."""
    if find(connection, wallet, id) is None:
        return False
    connection.execute(delete(WebhookDelivery.table).where(WebhookDelivery.c.endpoint == id))
    connection.execute(delete(Webhook.table).where(Webhook.c.id == id))
    note_change(connection, [id])
    return True


def enabled(connection: Connection, among: Collection[str] | None = None) -> Sequence[Webhook]:
    """Every one that notices are sent to, or those of some."""
    active = select(Webhook.table).where(Webhook.c.disabled_at.is_(None)).order_by(Webhook.c.id)
    if among is not None:
        active = active.where(Webhook.c.id.in_(among))
    return [Webhook(**row) for row in connection.execute(active).mappings()]


def stop_here(connection: Connection, id: str) -> None:
    """Lets a disabled endpoint continue later from the common place of now, unless it is behind."""
    place = connection.execute(select(NoticePlace.c.index_id, NoticePlace.c.number)).first()
    if place is not None:
        there = case((Webhook.c.number < place.number, place.number), else_=Webhook.c.number)
        values = {"is_behind": True, "number": there, "index_id": place.index_id}
        connection.execute(update(Webhook.table).where(Webhook.c.id == id, ~Webhook.c.is_behind).values(values))


def note_change(connection: Connection, endpoints: Collection[str]) -> None:
    """Has the process that sends read these endpoints again."""
    _note(connection, list(endpoints) if len(endpoints) <= KEPT_CHANGES // 2 else [None])


def note_reload(connection: Connection) -> None:
    """The same for all of them."""
    _note(connection, [None])


def changed_since(connection: Connection, version: int) -> tuple[set[str] | None, int]:
    """The endpoints that have changed after a change's number, None for all of them, and the newest change's."""
    newest: int = connection.execute(select(func.coalesce(func.max(WebhookChange.c.number), 0))).scalar_one()
    if newest == version:
        return set(), newest
    rows = select(WebhookChange.c.number, WebhookChange.c.endpoint).where(WebhookChange.c.number > version)
    found = connection.execute(rows).all()
    endpoints = {row.endpoint for row in found}
    if version < 0 or len(found) != newest - version or None in endpoints:
        return None, newest
    return endpoints, newest


def _note(connection: Connection, endpoints: Sequence[str | None]) -> None:
    newest: int = connection.execute(select(func.coalesce(func.max(WebhookChange.c.number), 0))).scalar_one()
    rows = [{"number": number, "endpoint": each} for number, each in enumerate(endpoints, newest + 1)]
    if rows:
        connection.execute(insert(WebhookChange.table), rows)
        kept = newest + len(rows) - KEPT_CHANGES
        connection.execute(delete(WebhookChange.table).where(WebhookChange.c.number <= kept))


def ring(connection: Connection) -> None:
    """Wakes who sends notices, once the transaction commits; on SQLite any commit does."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_notify(CHANNEL, "")))
