"""Runs migrations on the connection it is given, or on `sqlalchemy.url` from the alembic command line."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import Connection

from indexer.models import Record
from indexer.models.base import Unsigned
from indexer.store.database import open_database


def render_type(kind: str, item: Any, autogen: AutogenContext) -> str | Literal[False]:
    """Renders our own column type for `alembic revision --autogenerate`; False leaves others to Alembic."""
    return f"Unsigned({item.bits})" if isinstance(item, Unsigned) else False


def run(connection: Connection) -> None:
    """Migrates inside the connection's transaction."""
    context.configure(
        connection=connection, target_metadata=Record.metadata, render_as_batch=True, render_item=render_type
    )
    with context.begin_transaction():
        context.run_migrations()


given: Connection | None = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    engine = open_database(context.config.get_main_option("sqlalchemy.url") or "sqlite:///index.db")
    with engine.begin() as own:
        run(own)
