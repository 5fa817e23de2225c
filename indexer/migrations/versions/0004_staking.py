"""Stake, rewards, GPU points and the MFP lock."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from indexer.models.base import Unsigned

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

ZERO = "0"


def upgrade() -> None:
    op.create_table(
        "stake_pool",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("mint", sa.String(length=44), nullable=False),
        sa.Column("token_account", sa.String(length=44), nullable=False),
        sa.Column("epoch", Unsigned(64), nullable=False),
        sa.Column("epoch_started_at", sa.BigInteger(), nullable=False),
        sa.Column("epoch_ends_at", sa.BigInteger(), nullable=False),
        sa.Column("active", Unsigned(64), nullable=False),
        sa.Column("warming", Unsigned(64), nullable=False),
        sa.Column("cooling", Unsigned(64), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_stake_pool")),
    )
    op.create_table(
        "reward_stream",
        sa.Column("number", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("mint", sa.String(length=44), nullable=False),
        sa.Column("token_account", sa.String(length=44), nullable=False),
        sa.Column("acc", Unsigned(128), nullable=False),
        sa.Column("next_acc", Unsigned(128), nullable=False),
        sa.Column("queued", Unsigned(64), nullable=False),
        sa.Column("funded", Unsigned(64), nullable=False),
        sa.Column("claimed", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_reward_stream")),
    )
    op.create_table(
        "stake",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("owner", sa.String(length=44), nullable=False),
        sa.Column("active", Unsigned(64), nullable=False),
        sa.Column("warming", Unsigned(64), nullable=False),
        sa.Column("cooling", Unsigned(64), nullable=False),
        sa.Column("warm_at", sa.BigInteger(), nullable=False),
        sa.Column("cool_at", sa.BigInteger(), nullable=False),
        sa.Column("staked_at", sa.BigInteger(), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_stake")),
    )
    with op.batch_alter_table("stake", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_stake_owner"), ["owner"], unique=False)
    op.create_table(
        "stake_reward",
        sa.Column("stake", sa.String(length=44), nullable=False),
        sa.Column("stream", sa.BigInteger(), nullable=False),
        sa.Column("owed", Unsigned(64), nullable=False),
        sa.Column("claimed", Unsigned(64), nullable=False),
        sa.Column("checkpoint", Unsigned(128), nullable=False),
        sa.Column("warm_checkpoint", Unsigned(128), nullable=False),
        sa.PrimaryKeyConstraint("stake", "stream", name=op.f("pk_stake_reward")),
    )
    op.create_table(
        "reward_claim",
        sa.Column("stake", sa.String(length=44), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.Column("stream", sa.BigInteger(), nullable=False),
        sa.Column("amount", Unsigned(64), nullable=False),
        sa.Column("compounded", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("stake", "seq", name=op.f("pk_reward_claim")),
    )
    op.create_table(
        "epoch_reward",
        sa.Column("epoch", Unsigned(64), nullable=False),
        sa.Column("stream", sa.BigInteger(), nullable=False),
        sa.Column("amount", Unsigned(64), nullable=False),
        sa.Column("active", Unsigned(64), nullable=False),
        sa.Column("advanced_at", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("epoch", "stream", name=op.f("pk_epoch_reward")),
    )
    op.create_table(
        "catalog",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("mint", sa.String(length=44), nullable=False),
        sa.Column("token_account", sa.String(length=44), nullable=False),
        sa.Column("locked", Unsigned(64), nullable=False),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_catalog")),
    )
    op.create_table(
        "gpu_points",
        sa.Column("model", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("model", name=op.f("pk_gpu_points")),
    )
    with op.batch_alter_table("host", schema=None) as batch_op:
        batch_op.add_column(sa.Column("points", sa.BigInteger(), nullable=False, server_default=ZERO))
        batch_op.add_column(sa.Column("mfp_locked", Unsigned(64), nullable=False, server_default=ZERO))
        batch_op.add_column(sa.Column("mfp_unlocking", Unsigned(64), nullable=False, server_default=ZERO))
        batch_op.add_column(sa.Column("mfp_unlock_at", sa.BigInteger(), nullable=False, server_default=ZERO))
    with op.batch_alter_table("listing", schema=None) as batch_op:
        batch_op.add_column(sa.Column("points", sa.BigInteger(), nullable=False, server_default=ZERO))
    with op.batch_alter_table("vault", schema=None) as batch_op:
        batch_op.add_column(sa.Column("total_stakers", Unsigned(64), nullable=False, server_default=ZERO))


def downgrade() -> None:
    for table, columns in (
        ("vault", ("total_stakers",)),
        ("listing", ("points",)),
        ("host", ("points", "mfp_locked", "mfp_unlocking", "mfp_unlock_at")),
    ):
        with op.batch_alter_table(table, schema=None) as batch_op:
            for column in columns:
                batch_op.drop_column(column)
    for table in (
        "gpu_points",
        "catalog",
        "epoch_reward",
        "reward_claim",
        "stake_reward",
        "stake",
        "reward_stream",
        "stake_pool",
    ):
        op.drop_table(table)
