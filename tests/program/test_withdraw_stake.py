"""withdraw_stake: what has cooled down goes back to its owner. Invariants SYS-1, MKT-6, STK-1, STK-4."""

from __future__ import annotations

from typing import Any

import pytest

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_stake
from anchor_client.generated.types.pause_area import PauseArea

from .harness.actors import GPUM, RENTER, TENANT, USDC
from .harness.changes import set_paused
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.staking import EPOCH, POOL, TOKEN, pool_of, stake, stake_of, staked, unstake, withdraw_stake
from .harness.tokens import token_address
from .harness.world import World


def cooled(world: World, amount: int = TOKEN) -> None:
    staked(world, 3 * TOKEN)
    world.act(unstake(RENTER, amount))
    world.wait(EPOCH)


def test_withdraw_stake__cooled_down__goes_back(world: World) -> None:
    cooled(world)
    outcome = world.act(withdraw_stake())
    event = outcome.events[-1]
    assert isinstance(event, events.StakeWithdrawn)
    assert (event.owner, event.amount, event.state.cooling, event.pool.cooling) == (RENTER, TOKEN, 0, 0)
    assert (event.seq, event.pool_seq) == (stake_of(world).seq, pool_of(world).seq)
    assert world.tokens(RENTER) == WALLET_TOKENS - 2 * TOKEN
    assert world.tokens(POOL) == 2 * TOKEN


def test_withdraw_stake__one_second_early__is_refused(world: World) -> None:
    staked(world, TOKEN)
    world.act(unstake(RENTER, TOKEN))
    world.wait(EPOCH - 1)
    with expect(errors.StakeCooling):
        world.act(withdraw_stake())
    world.wait(1)
    world.act(withdraw_stake())


def test_withdraw_stake__twice__is_refused(world: World) -> None:
    cooled(world)
    world.act(withdraw_stake())
    with expect(errors.NothingToWithdraw):
        world.act(withdraw_stake())


def test_withdraw_stake__nothing_unstaked__is_refused(world: World) -> None:
    world.act(stake())
    with expect(errors.NothingToWithdraw):
        world.act(withdraw_stake())


def test_withdraw_stake__unstaked_again__waits_for_the_last(world: World) -> None:
    cooled(world)
    world.act(unstake(RENTER, TOKEN))
    with expect(errors.StakeCooling):
        world.act(withdraw_stake())
    world.wait(EPOCH)
    world.act(withdraw_stake())
    assert world.tokens(RENTER) == WALLET_TOKENS - TOKEN


def test_withdraw_stake__paused_market__still_pays(world: World) -> None:
    cooled(world)
    world.act(*(set_paused(area) for area in PauseArea))
    world.act(withdraw_stake())


@pytest.mark.parametrize(
    ("error", "accounts"),
    [
        (errors.WrongStakeOwner, {"owner": TENANT, "owner_token": token_address(TENANT, GPUM)}),
        (errors.WrongTokenOwner, {"owner_token": token_address(TENANT, GPUM)}),
        (errors.WrongMint, {"owner_token": token_address(RENTER, USDC)}),
        (errors.WrongPoolAccount, {"pool_token": token_address(POOL, USDC)}),
    ],
)
def test_withdraw_stake__account_of_another__is_refused(
    world: World, error: type[errors.ProgramError], accounts: dict[str, Any]
) -> None:
    cooled(world)
    with expect(error):
        world.act(withdraw_stake(**{"stake": find_stake(RENTER)[0], **accounts}))
