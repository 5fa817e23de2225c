"""The first tables: those of the models, until a release whose databases outlive it writes them out here."""

from __future__ import annotations

from alembic import op

from indexer.accounts.models import AccountRecord

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    AccountRecord.metadata.create_all(op.get_bind())


def downgrade() -> None:
    AccountRecord.metadata.drop_all(op.get_bind())
