"""Requests: orders that wait for a machine."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from indexer.models.base import Unsigned

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "request",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("renter", sa.String(length=44), nullable=False),
        sa.Column("mint", sa.String(length=44), nullable=False),
        sa.Column("shard", sa.BigInteger(), nullable=False),
        sa.Column("nonce", Unsigned(64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("gpu_model", sa.BigInteger(), nullable=False),
        sa.Column("gpu_count", sa.BigInteger(), nullable=False),
        sa.Column("regions", Unsigned(64), nullable=False),
        sa.Column("near_region", sa.BigInteger(), nullable=False),
        sa.Column("min_score_bps", sa.BigInteger(), nullable=False),
        sa.Column("duration", sa.BigInteger(), nullable=False),
        sa.Column("max_usd", Unsigned(64), nullable=False),
        sa.Column("deposit", Unsigned(64), nullable=False),
        sa.Column("order_hash", sa.String(length=64), nullable=False),
        sa.Column("tip_lamports", sa.BigInteger(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("open_signature", sa.String(length=88), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("end_signature", sa.String(length=88), nullable=True),
        sa.Column("ended_by", sa.String(length=44), nullable=True),
        sa.Column("refunded", Unsigned(64), nullable=False),
        sa.Column("rental", sa.String(length=44), nullable=True),
        sa.Column("listing", sa.String(length=44), nullable=True),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_request")),
    )
    with op.batch_alter_table("request", schema=None) as batch_op:
        for column in ("renter", "status"):
            name = batch_op.f(f"ix_request_{column}_opened_at_address")
            batch_op.create_index(name, [column, "opened_at", "address"], unique=False)
        batch_op.create_index(batch_op.f("ix_request_opened_at_address"), ["opened_at", "address"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("request", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_request_opened_at_address"))
        batch_op.drop_index(batch_op.f("ix_request_status_opened_at_address"))
        batch_op.drop_index(batch_op.f("ix_request_renter_opened_at_address"))

    op.drop_table("request")
