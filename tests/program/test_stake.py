"""stake: a wallet's tokens warm up until the epoch ends. Invariants STK-1 to STK-4."""

from __future__ import annotations

from typing import Any

import pytest

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_stake
from anchor_client.generated.types.pool_totals import PoolTotals
from anchor_client.generated.types.stake_state import StakeState

from .harness.actors import GPUM, RENTER, TENANT, USDC
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.staking import POOL, TOKEN, next_epoch, pool_of, stake, stake_of, staked
from .harness.tokens import put_tokens, token_address
from .harness.world import World


def test_stake__first_time__creates_the_account_and_warms_up(world: World) -> None:
    pool = pool_of(world)
    event = world.act(stake(RENTER, 5 * TOKEN)).event(events.Staked)
    assert event == events.Staked(
        stake=find_stake(RENTER)[0],
        owner=RENTER,
        amount=5 * TOKEN,
        state=StakeState(
            active=0, warming=5 * TOKEN, cooling=0, warm_at=pool.epoch_ends_at, cool_at=0, owed=(0, 0, 0, 0)
        ),
        pool=PoolTotals(active=0, warming=5 * TOKEN, cooling=0),
        at=world.now,
        seq=1,
        pool_seq=pool.seq + 1,
    )
    account = stake_of(world)
    assert (account.version, account.owner) == (1, RENTER)
    assert (world.tokens(POOL), world.tokens(RENTER)) == (5 * TOKEN, WALLET_TOKENS - 5 * TOKEN)


def test_stake__again_in_the_same_epoch__adds_up(world: World) -> None:
    world.act(stake(RENTER, TOKEN))
    world.act(stake(RENTER, 2 * TOKEN))
    account = stake_of(world)
    assert (account.active, account.warming) == (0, 3 * TOKEN)


def test_stake__in_a_later_epoch__what_was_warm_is_active(world: World) -> None:
    staked(world, TOKEN)
    world.act(stake(RENTER, 2 * TOKEN))
    account, pool = stake_of(world), pool_of(world)
    assert (account.active, account.warming, account.warm_at) == (TOKEN, 2 * TOKEN, pool.epoch_ends_at)
    assert (pool.active, pool.warming) == (TOKEN, 2 * TOKEN)


def test_stake__after_missed_epochs__is_told_with_the_epochs_end(world: World) -> None:
    staked(world, TOKEN)
    outcome = world.act(stake(RENTER, TOKEN))
    assert [type(event) for event in outcome.events] == [events.EpochAdvanced, events.Staked]
    next_epoch(world)
    next_epoch(world)
    outcome = world.act(stake(RENTER, TOKEN))
    assert [type(event) for event in outcome.events] == [events.EpochAdvanced, events.Staked]
    assert stake_of(world).active == 2 * TOKEN


def test_stake__nothing__is_refused(world: World) -> None:
    with expect(errors.ZeroAmount):
        world.act(stake(RENTER, 0))


def test_stake__balance__must_cover_it_exactly(world: World) -> None:
    with expect(errors.InsufficientFunds):
        world.act(stake(RENTER, WALLET_TOKENS + 1))
    world.act(stake(RENTER, WALLET_TOKENS))


@pytest.mark.parametrize(
    ("error", "accounts"),
    [
        (errors.WrongPoolAccount, {"pool_token": token_address(POOL, USDC)}),
        (errors.WrongPoolAccount, {"pool_token": token_address(TENANT, GPUM)}),
        (errors.WrongTokenOwner, {"owner_token": token_address(TENANT, GPUM)}),
        (errors.WrongMint, {"owner_token": token_address(RENTER, USDC)}),
    ],
)
def test_stake__account_of_another__is_refused(
    world: World, error: type[errors.ProgramError], accounts: dict[str, Any]
) -> None:
    with expect(error):
        world.act(stake(RENTER, **accounts))


def test_stake__into_somebody_elses_account__is_refused(world: World) -> None:
    world.act(stake(TENANT))
    with expect_refusal():
        world.act(stake(RENTER, stake=find_stake(TENANT)[0]))


def test_stake__frozen_tokens__are_refused(world: World) -> None:
    put_tokens(world.cluster, GPUM, RENTER, WALLET_TOKENS, frozen=True)
    with expect(errors.TokenAccountFrozen):
        world.act(stake(RENTER))
