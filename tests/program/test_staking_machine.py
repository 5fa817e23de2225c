"""Any order of staking acts: the audit's exact books agree after each, and at the end everyone gets out whole.

Invariants 45, 46.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.errors import ProgramError
from anchor_client.generated.pdas import find_stake

from .harness.actors import HOST, MINTS, RENTER, RIVAL, TENANT
from .harness.market import WALLET_TOKENS, seeded_world
from .harness.staking import (
    EPOCH,
    POOL,
    advance_epoch,
    claim,
    close_stake,
    compound,
    fund_rewards,
    next_epoch,
    pool_of,
    stake,
    stake_of,
    unstake,
    withdraw_stake,
)
from .harness.world import World

OWNERS = (RENTER, TENANT, HOST, RIVAL)
owners = st.sampled_from(OWNERS)
mints = st.sampled_from(MINTS)
amounts = st.one_of(st.integers(1, 50), st.integers(1, 10**11))


class StakingMachine(RuleBasedStateMachine):
    world: World

    @initialize()
    def open(self) -> None:
        self.world = seeded_world()

    def attempt(self, act: Instruction) -> None:
        """A refusal is fine: it changes nothing, which the cluster checks."""
        try:
            self.world.act(act)
        except ProgramError:
            return

    @rule(owner=owners, amount=amounts)
    def stake(self, owner: Pubkey, amount: int) -> None:
        self.world.act(stake(owner, amount))

    @rule(owner=owners, amount=amounts)
    def unstake(self, owner: Pubkey, amount: int) -> None:
        if self.world.exists(find_stake(owner)[0]):
            account = stake_of(self.world, owner)
            self.attempt(unstake(owner, min(amount, account.active + account.warming)))

    @rule(owner=owners)
    def withdraw(self, owner: Pubkey) -> None:
        if self.world.exists(find_stake(owner)[0]):
            self.attempt(withdraw_stake(owner))

    @rule(owner=owners, mint=mints)
    def claim(self, owner: Pubkey, mint: Pubkey) -> None:
        if self.world.exists(find_stake(owner)[0]):
            self.attempt(claim(owner, mint))

    @rule(owner=owners)
    def compound(self, owner: Pubkey) -> None:
        if self.world.exists(find_stake(owner)[0]):
            self.attempt(compound(owner))

    @rule(owner=owners)
    def close(self, owner: Pubkey) -> None:
        """A closed account may be opened again by any later stake."""
        if self.world.exists(find_stake(owner)[0]):
            self.attempt(close_stake(owner))

    @rule(owner=owners)
    def leave(self, owner: Pubkey) -> None:
        """All the way out: unstaked, cooled down, withdrawn, claimed and closed."""
        if not self.world.exists(find_stake(owner)[0]):
            return
        account = stake_of(self.world, owner)
        self.attempt(unstake(owner, account.active + account.warming))
        self.world.wait(EPOCH)
        for act in (withdraw_stake(owner), *(claim(owner, mint) for mint in MINTS), close_stake(owner)):
            self.attempt(act)
        assert not self.world.exists(find_stake(owner)[0])

    @rule(amount=amounts, mint=mints)
    def fund(self, amount: int, mint: Pubkey) -> None:
        self.world.act(fund_rewards(amount, mint))

    @rule(seconds=st.sampled_from([1, EPOCH // 2, EPOCH - 1, EPOCH, 3 * EPOCH]))
    def wait(self, seconds: int) -> None:
        self.world.wait(seconds)

    @rule()
    def advance(self) -> None:
        self.world.act(advance_epoch())

    def teardown(self) -> None:
        """Everyone leaves: the stake is back to the base unit, and what is left of rewards is dust or waits."""
        world = self.world
        next_epoch(world)
        stakers = [owner for owner in OWNERS if world.exists(find_stake(owner)[0])]
        for owner in stakers:
            account = stake_of(world, owner)
            if account.active + account.warming:
                world.act(unstake(owner, account.active + account.warming))
        world.wait(EPOCH)
        for owner in stakers:
            self.attempt(withdraw_stake(owner))
            for mint in MINTS:
                self.attempt(claim(owner, mint))
            world.act(close_stake(owner))
        world.act(advance_epoch())
        pool = pool_of(world)
        assert (pool.active, pool.warming, pool.cooling) == (0, 0, 0)
        for mint, stream in zip(MINTS, pool.rewards, strict=False):
            assert world.tokens(POOL, mint) == stream.held >= stream.queued
            assert stream.held - stream.queued <= len(OWNERS) * (pool.epoch + 1)
        paid = sum(world.tokens(owner) - WALLET_TOKENS for owner in OWNERS)
        assert paid == pool.rewards[0].claimed


TestStakingMachine = StakingMachine.TestCase
TestStakingMachine.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)
