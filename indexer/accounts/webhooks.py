"""Endpoints of wallets that notices are sent to."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from secrets import token_bytes
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from indexer.accounts.models import Webhook, WebhookDelivery
from indexer.changes.writer import CHANNEL

SECRET_PREFIX = "whsec_"
SECRET_BYTES = 32
OVERLAP_SECONDS = 86_400
"""Seconds that a replaced secret still signs, beside the new one."""


class TooManyWebhooks(Exception):
    """The wallet has as many as it may have."""


def new_signing_secret() -> str:
    """A random one, as Standard Webhooks writes them."""
    return SECRET_PREFIX + b64encode(token_bytes(SECRET_BYTES)).decode()


def create(connection: Connection, webhook: Webhook, most: int) -> None:
    """Keeps a new endpoint of a wallet that may have `most`. TooManyWebhooks."""
    count = select(func.count()).select_from(Webhook.table).where(Webhook.c.wallet == webhook.wallet)
    if connection.execute(count).scalar_one() >= most:
        raise TooManyWebhooks
    connection.execute(insert(Webhook.table).values(vars(webhook)))
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
    """One of a wallet's with other values; None if there is none."""
    if values:
        own = (Webhook.c.wallet == wallet) & (Webhook.c.id == id)
        connection.execute(update(Webhook.table).where(own).values(dict(values)))
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
    return True


def enabled(connection: Connection) -> Sequence[Webhook]:
    """Every one that notices are sent to."""
    active = select(Webhook.table).where(Webhook.c.disabled_at.is_(None)).order_by(Webhook.c.id)
    return [Webhook(**row) for row in connection.execute(active).mappings()]


def unchanged(connection: Connection, known: Iterable[Webhook]) -> list[Webhook]:
    """Those that are enabled and still ask for the same: a round reads them before it reads the index."""
    asked = {webhook.id: _asked(webhook) for webhook in enabled(connection)}
    return [webhook for webhook in known if asked.get(webhook.id) == _asked(webhook)]


def _asked(webhook: Webhook) -> tuple[str, str, str]:
    return webhook.types, webhook.topics, webhook.low_funds


def ring(connection: Connection) -> None:
    """Wakes who sends notices, once the transaction commits; on SQLite any commit does."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_notify(CHANNEL, "")))
