"""Sealed orders on their way to hosts, and what finds the rental or request that each belongs to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sealed_order",
        sa.Column("renter", sa.String(length=44), nullable=False),
        sa.Column("order_hash", sa.String(length=64), nullable=False),
        sa.Column("signed_at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("kept_until", sa.BigInteger(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("renter", "order_hash", name=op.f("pk_sealed_order")),
    )
    with op.batch_alter_table("sealed_order", schema=None) as batch_op:
        for column in ("received_at", "kept_until"):
            batch_op.create_index(batch_op.f(f"ix_sealed_order_{column}"), [column], unique=False)
    for table in ("rental", "request"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.create_index(batch_op.f(f"ix_{table}_renter_order_hash"), ["renter", "order_hash"], unique=False)


def downgrade() -> None:
    for table in ("request", "rental"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_index(batch_op.f(f"ix_{table}_renter_order_hash"))
    with op.batch_alter_table("sealed_order", schema=None) as batch_op:
        for column in ("kept_until", "received_at"):
            batch_op.drop_index(batch_op.f(f"ix_sealed_order_{column}"))

    op.drop_table("sealed_order")
