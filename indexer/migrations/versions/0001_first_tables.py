"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from indexer.models.base import Unsigned

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cursor",
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=False),
        sa.Column("transaction_index", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.Column("block_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("source", name=op.f("pk_cursor")),
    )
    op.create_table(
        "dead_letter",
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.Column("instruction_index", sa.Integer(), nullable=False),
        sa.Column("inner_index", sa.Integer(), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=False),
        sa.Column("transaction_index", sa.BigInteger(), nullable=False),
        sa.Column("block_time", sa.BigInteger(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("error", sa.String(length=64), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("signature", "instruction_index", "inner_index", name=op.f("pk_dead_letter")),
    )
    op.create_table(
        "fee_sweep",
        sa.Column("vault", sa.String(length=44), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.Column("burned", Unsigned(64), nullable=False),
        sa.Column("treasury", Unsigned(64), nullable=False),
        sa.Column("stakers", Unsigned(64), nullable=False),
        sa.Column("swept_by", sa.String(length=44), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("vault", "seq", name=op.f("pk_fee_sweep")),
    )
    op.create_table(
        "host",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("authority", sa.String(length=44), nullable=False),
        sa.Column("seal_key", sa.String(length=64), nullable=False),
        sa.Column("approved", sa.Boolean(), nullable=False),
        sa.Column("registered_at", sa.BigInteger(), nullable=False),
        sa.Column("tracked_seconds", Unsigned(64), nullable=False),
        sa.Column("up_seconds", Unsigned(64), nullable=False),
        sa.Column("open_listings", sa.BigInteger(), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_host")),
    )
    with op.batch_alter_table("host", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_host_authority"), ["authority"], unique=False)

    op.create_table(
        "listing",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("host", sa.String(length=44), nullable=False),
        sa.Column("authority", sa.String(length=44), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("gpu_model", sa.BigInteger(), nullable=False),
        sa.Column("gpu_count", sa.BigInteger(), nullable=False),
        sa.Column("vram_gb", sa.BigInteger(), nullable=False),
        sa.Column("region", sa.BigInteger(), nullable=False),
        sa.Column("cpu_cores", sa.BigInteger(), nullable=False),
        sa.Column("ram_gb", sa.BigInteger(), nullable=False),
        sa.Column("disk_kind", sa.BigInteger(), nullable=False),
        sa.Column("disk_gb", sa.BigInteger(), nullable=False),
        sa.Column("disk_mbps", sa.BigInteger(), nullable=False),
        sa.Column("net_up_mbps", sa.BigInteger(), nullable=False),
        sa.Column("net_down_mbps", sa.BigInteger(), nullable=False),
        sa.Column("cuda", sa.BigInteger(), nullable=False),
        sa.Column("on_demand_usd", sa.BigInteger(), nullable=False),
        sa.Column("spot_min_usd", sa.BigInteger(), nullable=False),
        sa.Column("mrl_seconds", sa.BigInteger(), nullable=False),
        sa.Column("visible", sa.Boolean(), nullable=False),
        sa.Column("current", sa.String(length=44), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("idle_since", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=False),
        sa.Column("last_heartbeat_at", sa.BigInteger(), nullable=False),
        sa.Column("tracked_seconds", Unsigned(64), nullable=False),
        sa.Column("up_seconds", Unsigned(64), nullable=False),
        sa.Column("opened", sa.BigInteger(), nullable=False),
        sa.Column("completed", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("rating_sum", Unsigned(64), nullable=False),
        sa.Column("rating_weight", Unsigned(64), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_listing")),
    )
    with op.batch_alter_table("listing", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_listing_closed_at_on_demand_usd_address"),
            ["closed_at", "on_demand_usd", "address"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_listing_gpu_model_closed_at_on_demand_usd"),
            ["gpu_model", "closed_at", "on_demand_usd"],
            unique=False,
        )
        batch_op.create_index(batch_op.f("ix_listing_host"), ["host"], unique=False)

    op.create_table(
        "market",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("authority", sa.String(length=44), nullable=False),
        sa.Column("guardian", sa.String(length=44), nullable=False),
        sa.Column("market_mint", sa.String(length=44), nullable=False),
        sa.Column("treasury", sa.String(length=44), nullable=False),
        sa.Column("paused", sa.BigInteger(), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_market")),
    )
    op.create_table(
        "market_change",
        sa.Column("entity", sa.String(length=44), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("old", sa.String(length=64), nullable=True),
        sa.Column("new", sa.String(length=64), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("entity", "seq", "subject", name=op.f("pk_market_change")),
    )
    with op.batch_alter_table("market_change", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_market_change_subject_changed_at"), ["subject", "changed_at"], unique=False
        )

    op.create_table(
        "market_parameter",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", Unsigned(64), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_market_parameter")),
    )
    op.create_table(
        "payment_mint",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("mint", sa.String(length=44), nullable=False),
        sa.Column("decimals", sa.BigInteger(), nullable=False),
        sa.Column("oracle_kind", sa.String(length=16), nullable=False),
        sa.Column("oracle", sa.String(length=44), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("shards", sa.BigInteger(), nullable=False),
        sa.Column("max_age", sa.BigInteger(), nullable=False),
        sa.Column("subsidy_bps", sa.BigInteger(), nullable=False),
        sa.Column("burn_bps", sa.BigInteger(), nullable=False),
        sa.Column("extra_fee_bps", sa.BigInteger(), nullable=False),
        sa.Column("price", Unsigned(64), nullable=False),
        sa.Column("price_at", sa.BigInteger(), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_payment_mint")),
        sa.UniqueConstraint("mint"),
    )
    op.create_table(
        "price",
        sa.Column("mint", sa.String(length=44), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.Column("price", Unsigned(64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("mint", "seq", name=op.f("pk_price")),
    )
    op.create_table(
        "rating",
        sa.Column("rental", sa.String(length=44), nullable=False),
        sa.Column("listing", sa.String(length=44), nullable=False),
        sa.Column("host", sa.String(length=44), nullable=False),
        sa.Column("rating", sa.BigInteger(), nullable=False),
        sa.Column("weight", Unsigned(64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("rental", name=op.f("pk_rating")),
    )
    with op.batch_alter_table("rating", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_rating_host"), ["host"], unique=False)
        batch_op.create_index(batch_op.f("ix_rating_listing"), ["listing"], unique=False)

    op.create_table(
        "raw_event",
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.Column("instruction_index", sa.Integer(), nullable=False),
        sa.Column("inner_index", sa.Integer(), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=False),
        sa.Column("transaction_index", sa.BigInteger(), nullable=False),
        sa.Column("block_time", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("signature", "instruction_index", "inner_index", name=op.f("pk_raw_event")),
    )
    with op.batch_alter_table("raw_event", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_raw_event_slot_transaction_index_instruction_index_inner_index"),
            ["slot", "transaction_index", "instruction_index", "inner_index"],
            unique=False,
        )

    op.create_table(
        "reconciliation",
        sa.Column("vault", sa.String(length=44), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=False),
        sa.Column("checked_at", sa.BigInteger(), nullable=False),
        sa.Column("difference", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("vault", name=op.f("pk_reconciliation")),
    )
    op.create_table(
        "rental",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("renter", sa.String(length=44), nullable=False),
        sa.Column("listing", sa.String(length=44), nullable=False),
        sa.Column("host", sa.String(length=44), nullable=False),
        sa.Column("mint", sa.String(length=44), nullable=False),
        sa.Column("shard", sa.BigInteger(), nullable=False),
        sa.Column("nonce", Unsigned(64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("gpu_model", sa.BigInteger(), nullable=False),
        sa.Column("gpu_count", sa.BigInteger(), nullable=False),
        sa.Column("region", sa.BigInteger(), nullable=False),
        sa.Column("duration", sa.BigInteger(), nullable=False),
        sa.Column("deposit", Unsigned(64), nullable=False),
        sa.Column("subsidy", Unsigned(64), nullable=False),
        sa.Column("rate", Unsigned(64), nullable=False),
        sa.Column("subsidy_rate", Unsigned(64), nullable=False),
        sa.Column("burn_rate", Unsigned(64), nullable=False),
        sa.Column("fee_rate", Unsigned(64), nullable=False),
        sa.Column("rate_usd", sa.BigInteger(), nullable=False),
        sa.Column("holdback_bps", sa.BigInteger(), nullable=False),
        sa.Column("provision_timeout", sa.BigInteger(), nullable=False),
        sa.Column("offline_after", sa.BigInteger(), nullable=False),
        sa.Column("tip_lamports", sa.BigInteger(), nullable=False),
        sa.Column("order_hash", sa.String(length=64), nullable=False),
        sa.Column("connection", sa.LargeBinary(), nullable=True),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("paid_until", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("open_signature", sa.String(length=88), nullable=False),
        sa.Column("close_signature", sa.String(length=88), nullable=True),
        sa.Column("close_reason", sa.String(length=32), nullable=True),
        sa.Column("closed_by", sa.String(length=44), nullable=True),
        sa.Column("settled", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.Column("paid", Unsigned(64), nullable=False),
        sa.Column("fees", Unsigned(64), nullable=False),
        sa.Column("burned", Unsigned(64), nullable=False),
        sa.Column("refunded", Unsigned(64), nullable=False),
        sa.Column("subsidy_returned", Unsigned(64), nullable=False),
        sa.Column("rating", sa.BigInteger(), nullable=True),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_rental")),
    )
    with op.batch_alter_table("rental", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_rental_host"), ["host"], unique=False)
        batch_op.create_index(batch_op.f("ix_rental_listing"), ["listing"], unique=False)
        batch_op.create_index(batch_op.f("ix_rental_opened_at_address"), ["opened_at", "address"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_rental_region_opened_at_address"), ["region", "opened_at", "address"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_rental_renter_opened_at_address"), ["renter", "opened_at", "address"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_rental_status_opened_at_address"), ["status", "opened_at", "address"], unique=False
        )

    op.create_table(
        "rental_state",
        sa.Column("rental", sa.String(length=44), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("message", sa.String(length=160), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("rental", "seq", name=op.f("pk_rental_state")),
    )
    op.create_table(
        "renter",
        sa.Column("wallet", sa.String(length=44), nullable=False),
        sa.Column("profile", sa.String(length=44), nullable=False),
        sa.Column("registered_at", sa.BigInteger(), nullable=False),
        sa.Column("next_nonce", Unsigned(64), nullable=False),
        sa.Column("active_rentals", sa.BigInteger(), nullable=False),
        sa.Column("completed_rentals", sa.BigInteger(), nullable=False),
        sa.Column("spent_usd", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("wallet", name=op.f("pk_renter")),
    )
    op.create_table(
        "seq_gap",
        sa.Column("entity", sa.String(length=44), nullable=False),
        sa.Column("found", Unsigned(64), nullable=False),
        sa.Column("expected", Unsigned(64), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("event", sa.String(length=64), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("entity", "found", name=op.f("pk_seq_gap")),
    )
    op.create_table(
        "settlement",
        sa.Column("rental", sa.String(length=44), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.Column("host", sa.String(length=44), nullable=False),
        sa.Column("mint", sa.String(length=44), nullable=False),
        sa.Column("paid", Unsigned(64), nullable=False),
        sa.Column("seconds", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("rental", "seq", name=op.f("pk_settlement")),
    )
    with op.batch_alter_table("settlement", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_settlement_host"), ["host"], unique=False)

    op.create_table(
        "subsidy_funding",
        sa.Column("vault", sa.String(length=44), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.Column("funder", sa.String(length=44), nullable=False),
        sa.Column("amount", Unsigned(64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("vault", "seq", name=op.f("pk_subsidy_funding")),
    )
    op.create_table(
        "vault",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("mint", sa.String(length=44), nullable=False),
        sa.Column("shard", sa.BigInteger(), nullable=False),
        sa.Column("token_account", sa.String(length=44), nullable=False),
        sa.Column("open_rentals", Unsigned(64), nullable=False),
        sa.Column("liabilities", Unsigned(64), nullable=False),
        sa.Column("fees_due", Unsigned(64), nullable=False),
        sa.Column("stakers_due", Unsigned(64), nullable=False),
        sa.Column("subsidy_pool", Unsigned(64), nullable=False),
        sa.Column("total_deposited", Unsigned(64), nullable=False),
        sa.Column("total_funded", Unsigned(64), nullable=False),
        sa.Column("total_paid", Unsigned(64), nullable=False),
        sa.Column("total_burned", Unsigned(64), nullable=False),
        sa.Column("total_refunded", Unsigned(64), nullable=False),
        sa.Column("total_swept", Unsigned(64), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_vault")),
    )


def downgrade() -> None:
    op.drop_table("vault")
    op.drop_table("subsidy_funding")
    with op.batch_alter_table("settlement", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_settlement_host"))

    op.drop_table("settlement")
    op.drop_table("seq_gap")
    op.drop_table("renter")
    op.drop_table("rental_state")
    with op.batch_alter_table("rental", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rental_status_opened_at_address"))
        batch_op.drop_index(batch_op.f("ix_rental_renter_opened_at_address"))
        batch_op.drop_index(batch_op.f("ix_rental_region_opened_at_address"))
        batch_op.drop_index(batch_op.f("ix_rental_opened_at_address"))
        batch_op.drop_index(batch_op.f("ix_rental_listing"))
        batch_op.drop_index(batch_op.f("ix_rental_host"))

    op.drop_table("rental")
    op.drop_table("reconciliation")
    with op.batch_alter_table("raw_event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_raw_event_slot_transaction_index_instruction_index_inner_index"))

    op.drop_table("raw_event")
    with op.batch_alter_table("rating", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rating_listing"))
        batch_op.drop_index(batch_op.f("ix_rating_host"))

    op.drop_table("rating")
    op.drop_table("price")
    op.drop_table("payment_mint")
    op.drop_table("market_parameter")
    with op.batch_alter_table("market_change", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_market_change_subject_changed_at"))

    op.drop_table("market_change")
    op.drop_table("market")
    with op.batch_alter_table("listing", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_listing_host"))
        batch_op.drop_index(batch_op.f("ix_listing_gpu_model_closed_at_on_demand_usd"))
        batch_op.drop_index(batch_op.f("ix_listing_closed_at_on_demand_usd_address"))

    op.drop_table("listing")
    with op.batch_alter_table("host", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_host_authority"))

    op.drop_table("host")
    op.drop_table("fee_sweep")
    op.drop_table("dead_letter")
    op.drop_table("cursor")
