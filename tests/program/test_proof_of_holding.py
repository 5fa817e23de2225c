"""Proof of Holding: active stake takes up to half off its holder's side of the fee, to the base unit.

Invariants STK-4, STK-5.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_stake
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import GPUM, HOST, RENTER, TENANT, USDC
from .harness.changes import FEE_BPS, TERMS
from .harness.outcome import expect
from .harness.reference import BPS, ceil_div
from .harness.staking import EPOCH, TOKEN, next_epoch, stake, stake_of, staked, unstake, withdraw_stake
from .harness.tokens import put_tokens
from .harness.world import World

TABLE = [
    (0, 0),
    (1, 0),
    (400, 1),
    (200_000, 500),
    (500_000, 1_250),
    (1_000_000, 2_500),
    (1_500_000, 3_750),
    (2_000_000, 5_000),
    (2_000_001, 5_000),
    (50_000_000, 5_000),
]
"""Whole tokens of active stake and the discount in basis points."""
HALF = FEE_BPS // 2
EXTRA_BPS = TERMS[USDC].extra_fee_bps


def fee(discount: int, extra_bps: int = 0) -> int:
    """One side's fee on the seeded listing's hour in USDC, whose base unit is a micro-dollar."""
    return ceil_div(ON_DEMAND_USD * (HALF * (BPS - discount) + extra_bps * BPS), BPS * BPS)


def host_fee(discount: int) -> int:
    """The host's side, with the extra fee of a host that has locked nothing."""
    return fee(discount, EXTRA_BPS)


def keep_stake(world: World, owner: Pubkey, tokens: int) -> None:
    """Stake that is active, with the listing still up; no account for zero."""
    if tokens:
        staked(world, tokens * TOKEN, owner)
        world.act(world.heartbeat())


def opened(world: World, renter: Pubkey = RENTER) -> events.RentalOpened:
    return world.act(world.open_rental(renter, mint=USDC)).event(events.RentalOpened)


@pytest.mark.parametrize(("tokens", "discount"), TABLE)
def test_proof_of_holding__renters_stake__takes_off_his_side(world: World, tokens: int, discount: int) -> None:
    keep_stake(world, RENTER, tokens)
    event = opened(world)
    assert event.rate == ON_DEMAND_USD + fee(discount)
    assert event.fee_rate == fee(discount) + host_fee(0)


@pytest.mark.parametrize(("tokens", "discount"), TABLE)
def test_proof_of_holding__hosts_stake__takes_off_his_side(world: World, tokens: int, discount: int) -> None:
    keep_stake(world, HOST, tokens)
    event = opened(world)
    assert event.rate == ON_DEMAND_USD + fee(0)
    assert event.fee_rate == fee(0) + host_fee(discount)


@pytest.mark.parametrize(("tokens", "discount"), TABLE[3:8:2])
def test_proof_of_holding__both__each_takes_off_his_own(world: World, tokens: int, discount: int) -> None:
    world.act(stake(RENTER, tokens * TOKEN))
    keep_stake(world, HOST, tokens)
    event = opened(world)
    assert (event.rate, event.fee_rate) == (ON_DEMAND_USD + fee(discount), fee(discount) + host_fee(discount))


def test_proof_of_holding__warming_stake__counts_from_the_boundary(world: World) -> None:
    world.act(stake(RENTER, 2_000_000 * TOKEN))
    next_epoch(world, into=-1)
    world.act(world.heartbeat())
    event = opened(world)
    assert event.rate == ON_DEMAND_USD + fee(0)
    world.act(world.stop_rental(event.rental))
    world.wait(1)
    event = opened(world)
    assert event.rate == ON_DEMAND_USD + fee(5_000)


def test_proof_of_holding__unstaked__counts_no_more(world: World) -> None:
    keep_stake(world, RENTER, 2_000_000)
    world.act(unstake(RENTER, 1_000_000 * TOKEN))
    assert opened(world).rate == ON_DEMAND_USD + fee(2_500)


def test_proof_of_holding__somebody_elses_stake__is_refused(world: World) -> None:
    keep_stake(world, TENANT, 2_000_000)
    for side in ("renter_stake", "host_stake"):
        with expect(errors.WrongStakeOwner):
            world.act(world.open_rental(mint=USDC, **{side: find_stake(TENANT)[0]}))


def test_proof_of_holding__same_tokens_in_two_wallets__never_count_twice(world: World) -> None:
    """Unstaked tokens stop counting at once; for another wallet they count after cool-down and warm-up."""
    amount = 2_000_000 * TOKEN
    keep_stake(world, RENTER, 2_000_000)
    world.act(unstake(RENTER, amount))
    assert stake_of(world, RENTER).active == 0
    world.wait(EPOCH)
    world.act(withdraw_stake(RENTER))
    hand_over(world, amount)
    world.act(stake(TENANT, amount), world.heartbeat())
    event = opened(world, TENANT)
    assert event.rate == ON_DEMAND_USD + fee(0)
    world.act(world.stop_rental(event.rental))
    event = opened(world)
    assert event.rate == ON_DEMAND_USD + fee(0)
    world.act(world.stop_rental(event.rental))
    next_epoch(world)
    world.act(world.heartbeat())
    event = opened(world, TENANT)
    assert event.rate == ON_DEMAND_USD + fee(5_000)


def hand_over(world: World, amount: int) -> None:
    """RENTER gives TENANT market tokens."""
    put_tokens(world.cluster, GPUM, RENTER, world.tokens(RENTER) - amount)
    put_tokens(world.cluster, GPUM, TENANT, world.tokens(TENANT) + amount)
