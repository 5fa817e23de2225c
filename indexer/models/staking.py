"""Stake and its rewards."""

from __future__ import annotations

from sqlmodel import Field

from indexer.models.base import U64, U128, Address, Count, Entity, Entry, Projection, Signature, table


@table()
class StakePool(Entity):
    """All stake, in base units of the market token, as the last event left it."""

    mint: Address
    token_account: Address
    epoch: U64 = 0
    epoch_started_at: Count
    epoch_ends_at: Count
    active: U64 = 0
    warming: U64 = 0
    cooling: U64 = 0


@table()
class RewardStream(Projection):
    """Rewards of stake in one mint. Accumulators are rewards per staked base unit, Q64, modulo 2^128."""

    number: Count = Field(primary_key=True)
    mint: Address
    token_account: Address
    acc: U128 = 0
    next_acc: U128 = 0
    queued: U64 = 0
    funded: U64 = 0
    claimed: U64 = 0


@table()
class EpochReward(Entry):
    """Rewards of one mint that an epoch shares between `active` base units of stake."""

    epoch: U64 = Field(primary_key=True)
    stream: Count = Field(primary_key=True)
    amount: U64
    active: U64


@table()
class Stake(Entity):
    """A wallet's stake in base units of the market token, as it was last settled."""

    owner: Address = Field(index=True)
    active: U64 = 0
    warming: U64 = 0
    cooling: U64 = 0
    warm_at: Count = 0
    cool_at: Count = 0
    voting_until: Count = 0
    """Until when votes keep what is active in place."""
    staked_at: Count
    """When it first staked."""
    closed_at: Count | None = None
    """When its account was closed; null while there is one."""


@table()
class StakeReward(Projection):
    """Rewards of a stake from one stream: `owed` when it was last settled, and the accumulators it continues from."""

    stake: Address = Field(primary_key=True)
    stream: Count = Field(primary_key=True)
    owed: U64 = 0
    claimed: U64 = 0
    checkpoint: U128 = 0
    warm_checkpoint: U128 = 0


@table()
class RewardClaim(Projection):
    """Rewards that a staker took, in base units of their mint."""

    stake: Address = Field(primary_key=True)
    seq: U64 = Field(primary_key=True)
    stream: Count
    amount: U64
    compounded: bool
    """True where they became stake."""
    ts: Count = Field(primary_key=True)
    """Part of the key: an account that was closed and opened again counts its `seq` from one."""
    tx: Signature
