"""Stake and rewards."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors
from anchor_client.generated.pdas import find_stake, find_vault

from ..harness.actors import HOST, RENTER, RIVAL, STRANGER, TENANT
from ..harness.staking import (
    POOL,
    advance_epoch,
    claim,
    close_stake,
    compound,
    fund_rewards,
    pool_of,
    stake,
    stake_of,
    sweep_stakers,
    unstake,
    withdraw_stake,
)
from .base import VAULTS, Machine, Refusals, keepers, vaults, which

OWNERS = (RENTER, TENANT, HOST, RIVAL)
ENOUGH = 10**12
"""Base units with which a staker may propose, whatever an action makes of that."""
MAY_WAIT: Refusals = (errors.StakeCooling, errors.NothingToWithdraw)

owners = st.sampled_from(OWNERS)
amounts = st.one_of(st.integers(1, 50), st.integers(1, 10**11))


class StakingRules(Machine):
    @property
    def stakers(self) -> list[Pubkey]:
        return [wallet for wallet in (*OWNERS, STRANGER) if self.world.exists(find_stake(wallet)[0])]

    def staker(self, index: int) -> Pubkey:
        return self.stakers[index % len(self.stakers)]

    def streams(self) -> list[Pubkey]:
        """The mints that rewards are paid in."""
        return [stream.mint for stream in self.world.audit.books.staking.streams]

    @rule(owner=owners, amount=amounts)
    def stake(self, owner: Pubkey, amount: int) -> None:
        self.attempt(stake(owner, amount), errors.InsufficientFunds)

    @rule(early=st.integers(0, 10))
    def stake_together(self, early: int) -> None:
        """Everyone stakes, until the epoch ends or almost."""
        for owner in OWNERS:
            self.attempt(stake(owner, ENOUGH), errors.InsufficientFunds)
        self.pass_epoch(early)

    def pass_epoch(self, early: int = 0) -> None:
        self.wait_until(pool_of(self.world).epoch_ends_at - early)

    @precondition(lambda self: self.stakers)
    @rule(index=which, amount=amounts, everything=st.booleans(), early=st.integers(-1, 1), waits=st.booleans())
    def leave(self, index: int, amount: int, everything: bool, early: int, waits: bool) -> None:
        """A staker unstakes, and perhaps withdraws around the time when they may."""
        owner = self.staker(index)
        account = stake_of(self.world, owner)
        held = account.active + account.warming
        act = unstake(owner, held if everything else min(amount, held))
        self.attempt(act, errors.ZeroAmount, errors.VoteLocked)
        if waits:
            self.wait_until(stake_of(self.world, owner).cool_at - early)
        self.attempt(withdraw_stake(owner), *MAY_WAIT)

    @precondition(lambda self: self.stakers)
    @rule(index=which, empties=st.booleans())
    def close(self, index: int, empties: bool) -> None:
        """A staker leaves, perhaps after taking everything out; any later stake opens their account again."""
        owner = self.staker(index)
        if empties:
            self.leave(index, 0, True, 0, True)
            for stream in range(len(self.streams())):
                self.attempt(self.claim(owner, stream), errors.NothingToClaim)
        self.attempt(
            close_stake(owner), errors.StakeNotEmpty, errors.VoteLocked, errors.ProposalLive, errors.AccountTooNew
        )

    @precondition(lambda self: self.stakers)
    @rule(index=which, stream=which, compounds=st.booleans())
    def collect(self, index: int, stream: int, compounds: bool) -> None:
        owner = self.staker(index)
        act = compound(owner) if compounds else self.claim(owner, stream % len(self.streams()))
        self.attempt(act, errors.NothingToClaim)

    def claim(self, owner: Pubkey, stream: int) -> Instruction:
        return claim(owner, self.streams()[stream], stream=stream)

    @rule(amount=amounts, stream=which)
    def fund_stakers(self, amount: int, stream: int) -> None:
        number = stream % len(self.streams())
        act = fund_rewards(amount, self.streams()[number], stream=number)
        self.attempt(act, errors.InsufficientFunds)

    @precondition(lambda self: self.stakers)
    @rule(amount=st.integers(10**6, 10**11), stream=which, early=st.integers(0, 1), turn=st.integers(0, 1))
    def reward(self, amount: int, stream: int, early: int, turn: int) -> None:
        """Rewards come in, their epoch ends, or almost, and everyone collects; every second one compounds."""
        self.fund_stakers(amount, 0)
        self.fund_stakers(amount, stream)
        self.pass_epoch()
        self.act(advance_epoch())
        self.pass_epoch(early)
        for index in range(len(self.stakers)):
            self.collect(index, stream, index % 2 == turn)

    @rule(vault=vaults, keeper=keepers)
    def sweep(self, vault: int, keeper: Pubkey) -> None:
        """The fees that are due are shared out, and the stakers' part goes to them; also where there may be none."""
        books, chosen = self.world.audit.books.vaults, self.vault(vault)
        for mint, shard in VAULTS:
            book = books.get(find_vault(mint, shard)[0])
            if book is not None and (book.fees_due or book.treasury_due or book.stakers_due or (mint, shard) == chosen):
                sweep = self.world.sweep_fees(mint, shard, caller=keeper)
                self.attempt(sweep, errors.ZeroAmount, errors.InvalidTokenAccount)
                share = sweep_stakers(mint, shard, caller=keeper)
                self.attempt(share, errors.ZeroAmount, errors.UnknownRewardStream)

    def leave_stakes(self) -> None:
        """Everyone leaves: the stake is back to the base unit, and what is left of rewards is dust or waits."""
        world = self.world
        stakers = self.stakers
        for owner in stakers:
            account = stake_of(world, owner)
            if account.active + account.warming:
                self.act(unstake(owner, account.active + account.warming))
        world.wait(world.market().epoch_seconds)
        for owner in stakers:
            self.attempt(withdraw_stake(owner), errors.NothingToWithdraw)
            for stream in range(len(self.streams())):
                self.attempt(self.claim(owner, stream), errors.NothingToClaim)
            self.act(close_stake(owner))
        self.act(advance_epoch())
        pool = pool_of(world)
        assert (pool.active, pool.warming, pool.cooling) == (0, 0, 0)
        for mint, rewards in zip(self.streams(), pool.rewards, strict=False):
            assert world.tokens(POOL, mint) == rewards.held >= rewards.queued
            assert rewards.held - rewards.queued <= (len(OWNERS) + 1) * (pool.epoch + 1)
