"""The first tables: those of the models, until a release whose databases outlive it writes them out here."""

from __future__ import annotations

from alembic import op

from indexer.index.projection_version import current_version, keep_version
from indexer.models import Record

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    Record.metadata.create_all(op.get_bind())
    keep_version(op.get_bind(), current_version())


def downgrade() -> None:
    Record.metadata.drop_all(op.get_bind())
