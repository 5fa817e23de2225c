"""Runs the migrations of accounts on the connection it is given."""

from __future__ import annotations

from alembic import context

from indexer.accounts.models import AccountRecord
from indexer.store.database import VERSION_TABLES

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=AccountRecord.metadata,
    version_table=VERSION_TABLES["indexer.accounts"],
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
