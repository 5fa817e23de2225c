"""Optional charges of listings, and the meters of rentals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from indexer.models.base import Unsigned

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "meter",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("rental", sa.String(length=44), nullable=False),
        sa.Column("renter", sa.String(length=44), nullable=False),
        sa.Column("listing", sa.String(length=44), nullable=False),
        sa.Column("authority", sa.String(length=44), nullable=False),
        sa.Column("mint", sa.String(length=44), nullable=False),
        sa.Column("shard", sa.BigInteger(), nullable=False),
        sa.Column("cap", Unsigned(64), nullable=False),
        sa.Column("bandwidth_usd", sa.BigInteger(), nullable=False),
        sa.Column("bandwidth_free_gb", sa.BigInteger(), nullable=False),
        sa.Column("storage_usd", sa.BigInteger(), nullable=False),
        sa.Column("bandwidth_rate", Unsigned(64), nullable=False),
        sa.Column("storage_rate", Unsigned(64), nullable=False),
        sa.Column("storage_gb", sa.BigInteger(), nullable=False),
        sa.Column("charge_window", sa.BigInteger(), nullable=False),
        sa.Column("bandwidth_mb", Unsigned(64), nullable=False),
        sa.Column("storage_gb_hours", Unsigned(64), nullable=False),
        sa.Column("accepted", Unsigned(64), nullable=False),
        sa.Column("paid", Unsigned(64), nullable=False),
        sa.Column("pending", Unsigned(64), nullable=False),
        sa.Column("disputed", Unsigned(64), nullable=False),
        sa.Column("refunded", Unsigned(64), nullable=False),
        sa.Column("dispute_by", sa.BigInteger(), nullable=False),
        sa.Column("resolve_by", sa.BigInteger(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("open_signature", sa.String(length=88), nullable=False),
        sa.Column("close_signature", sa.String(length=88), nullable=True),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_meter")),
    )
    op.create_index(op.f("ix_meter_rental"), "meter", ["rental"])
    op.create_index(op.f("ix_meter_authority_opened_at"), "meter", ["authority", "opened_at"])
    op.create_table(
        "meter_entry",
        sa.Column("meter", sa.String(length=44), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("amount", Unsigned(64), nullable=False),
        sa.Column("bandwidth_mb", Unsigned(64), nullable=False),
        sa.Column("storage_gb_hours", Unsigned(64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("meter", "seq", name=op.f("pk_meter_entry")),
    )
    with op.batch_alter_table("listing") as listing:
        for name in CHARGES:
            listing.add_column(sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("listing") as listing:
        for name in CHARGES:
            listing.drop_column(name)
    op.drop_table("meter_entry")
    op.drop_table("meter")


CHARGES = ("bandwidth_usd", "bandwidth_free_gb", "storage_usd")
