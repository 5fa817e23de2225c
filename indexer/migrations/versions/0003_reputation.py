"""Hosts' reputation, and issues that renters report."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from indexer.models.base import Unsigned

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "host_score",
        sa.Column("host", sa.String(length=44), nullable=False),
        sa.Column("round", sa.BigInteger(), nullable=False),
        sa.Column("score_bps", sa.BigInteger(), nullable=False),
        sa.Column("tracked_seconds", Unsigned(64), nullable=False),
        sa.Column("up_seconds", Unsigned(64), nullable=False),
        sa.Column("rating_sum", Unsigned(64), nullable=False),
        sa.Column("rating_weight", Unsigned(64), nullable=False),
        sa.Column("completed", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("host", "round", name=op.f("pk_host_score")),
    )
    op.create_table(
        "rental_issue",
        sa.Column("rental", sa.String(length=44), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.Column("listing", sa.String(length=44), nullable=False),
        sa.Column("issue", sa.String(length=16), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("rental", "seq", name=op.f("pk_rental_issue")),
    )
    with op.batch_alter_table("rental_issue", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_rental_issue_listing"), ["listing"], unique=False)
    with op.batch_alter_table("listing", schema=None) as batch_op:
        batch_op.add_column(sa.Column("issues", sa.BigInteger(), server_default="0", nullable=False))
    with op.batch_alter_table("host", schema=None) as batch_op:
        for name in ("rating_sum", "rating_weight"):
            batch_op.add_column(sa.Column(name, Unsigned(64), server_default="0", nullable=False))
        for name in ("completed", "failed", "score_round"):
            batch_op.add_column(sa.Column(name, sa.BigInteger(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("score_bps", sa.BigInteger(), nullable=True))
