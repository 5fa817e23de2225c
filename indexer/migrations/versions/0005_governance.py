"""Proposals and votes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from indexer.models.base import Unsigned

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "proposal",
        sa.Column("address", sa.String(length=44), nullable=False),
        sa.Column("number", Unsigned(64), nullable=False),
        sa.Column("proposer", sa.String(length=44), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("eligible", Unsigned(64), nullable=False),
        sa.Column("quorum_bps", sa.BigInteger(), nullable=False),
        sa.Column("threshold_bps", sa.BigInteger(), nullable=False),
        sa.Column("timelock", sa.BigInteger(), nullable=False),
        sa.Column("votes_for", Unsigned(64), nullable=False),
        sa.Column("votes_against", Unsigned(64), nullable=False),
        sa.Column("voters", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=False),
        sa.Column("execute_at", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("executed_by", sa.String(length=44), nullable=True),
        sa.Column("create_signature", sa.String(length=88), nullable=False),
        sa.Column("close_signature", sa.String(length=88), nullable=True),
        sa.Column("seq", Unsigned(64), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_proposal")),
    )
    with op.batch_alter_table("proposal", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_proposal_number"), ["number"], unique=False)
        batch_op.create_index(batch_op.f("ix_proposal_state_number"), ["state", "number"], unique=False)
        batch_op.create_index(batch_op.f("ix_proposal_proposer_number"), ["proposer", "number"], unique=False)

    op.create_table(
        "vote",
        sa.Column("proposal", sa.String(length=44), nullable=False),
        sa.Column("voter", sa.String(length=44), nullable=False),
        sa.Column("support", sa.Boolean(), nullable=False),
        sa.Column("weight", Unsigned(64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("signature", sa.String(length=88), nullable=False),
        sa.PrimaryKeyConstraint("proposal", "voter", name=op.f("pk_vote")),
    )
    with op.batch_alter_table("vote", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_vote_voter"), ["voter"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("vote", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_vote_voter"))

    op.drop_table("vote")
    with op.batch_alter_table("proposal", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_proposal_proposer_number"))
        batch_op.drop_index(batch_op.f("ix_proposal_state_number"))
        batch_op.drop_index(batch_op.f("ix_proposal_number"))

    op.drop_table("proposal")
