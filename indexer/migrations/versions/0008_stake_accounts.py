"""Until when votes hold a stake, and accounts that are closed and opened again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("stake", schema=None) as batch_op:
        batch_op.add_column(sa.Column("voting_until", sa.BigInteger(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("closed_at", sa.BigInteger(), nullable=True))
    with op.batch_alter_table("reward_claim", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("pk_reward_claim"), type_="primary")
        batch_op.create_primary_key(op.f("pk_reward_claim"), ["stake", "seq", "at"])


def downgrade() -> None:
    with op.batch_alter_table("reward_claim", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("pk_reward_claim"), type_="primary")
        batch_op.create_primary_key(op.f("pk_reward_claim"), ["stake", "seq"])
    with op.batch_alter_table("stake", schema=None) as batch_op:
        batch_op.drop_column("closed_at")
        batch_op.drop_column("voting_until")
