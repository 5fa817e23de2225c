"""Bids against spot holders."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "spot_bid",
        sa.Column("rental", sa.String(length=44), nullable=False),
        sa.Column("listing", sa.String(length=44), nullable=False),
        sa.Column("holder", sa.String(length=44), nullable=False),
        sa.Column("renter", sa.String(length=44), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("rate_usd", sa.BigInteger(), nullable=False),
        sa.Column("placed_at", sa.BigInteger(), nullable=False),
        sa.Column("preempt_at", sa.BigInteger(), nullable=False),
        sa.Column("outcome", sa.String(length=32), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("rental", name=op.f("pk_spot_bid")),
    )
    with op.batch_alter_table("spot_bid", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_spot_bid_listing_placed_at_rental"), ["listing", "placed_at", "rental"], unique=False
        )
    with op.batch_alter_table("listing", schema=None) as batch_op:
        batch_op.add_column(sa.Column("challenger", sa.String(length=44), nullable=True))
        batch_op.add_column(sa.Column("preempt_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("listing", schema=None) as batch_op:
        batch_op.drop_column("preempt_at")
        batch_op.drop_column("challenger")
    op.drop_table("spot_bid")
