"""lock_mfp, unlock_mfp and withdraw_mfp: a host's tokens in and out of the lock. Invariants SYS-1, MFP-1."""

from __future__ import annotations

from typing import Any

import pytest

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pause_area import PauseArea

from .harness.actors import GPUM, HOST, RIVAL, STRANGER, USDC
from .harness.changes import set_parameter, set_paused
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.staking import CATALOG, POOL, TOKEN, catalog_of, lock_mfp, unlock_mfp, withdraw_mfp
from .harness.terms import DAY, HOUR
from .harness.tokens import token_address
from .harness.world import World

WEEK = 7 * DAY


def test_lock_mfp__host__moves_tokens_into_the_lock(world: World) -> None:
    world.act(lock_mfp(RIVAL, TOKEN))
    host, catalog = world.host(), catalog_of(world)
    assert world.act(lock_mfp(HOST, 5 * TOKEN)).event(events.MfpLocked) == events.MfpLocked(
        host=find_host(HOST)[0],
        authority=HOST,
        amount=5 * TOKEN,
        locked=5 * TOKEN,
        total=6 * TOKEN,
        at=world.now,
        host_seq=host.seq + 1,
        catalog_seq=catalog.seq + 1,
    )
    assert (world.host().mfp_locked, catalog_of(world).locked) == (5 * TOKEN, 6 * TOKEN)
    assert (world.tokens(HOST), world.tokens(CATALOG)) == (WALLET_TOKENS - 5 * TOKEN, 6 * TOKEN)


def test_lock_mfp__balance__must_cover_it_exactly(world: World) -> None:
    with expect(errors.InsufficientFunds):
        world.act(lock_mfp(HOST, WALLET_TOKENS + 1))
    world.act(lock_mfp(HOST, WALLET_TOKENS))


@pytest.mark.parametrize("act", [lock_mfp, unlock_mfp])
def test_mfp__nothing__is_refused(world: World, act: Any) -> None:
    with expect(errors.ZeroAmount):
        world.act(act(HOST, 0))


def test_unlock_mfp__host__stops_counting_at_once(world: World) -> None:
    world.act(lock_mfp(HOST, 5 * TOKEN))
    host = world.host()
    assert world.act(unlock_mfp(HOST, 2 * TOKEN)).event(events.MfpUnlocked) == events.MfpUnlocked(
        host=find_host(HOST)[0],
        authority=HOST,
        amount=2 * TOKEN,
        locked=3 * TOKEN,
        unlocking=2 * TOKEN,
        unlock_at=world.now + WEEK,
        at=world.now,
        host_seq=host.seq + 1,
    )
    assert (world.tokens(CATALOG), catalog_of(world).locked) == (5 * TOKEN, 5 * TOKEN)


def test_unlock_mfp__more_than_is_locked__is_refused(world: World) -> None:
    world.act(lock_mfp(HOST, TOKEN))
    with expect(errors.InsufficientLock):
        world.act(unlock_mfp(HOST, TOKEN + 1))
    world.act(unlock_mfp(HOST, TOKEN))
    with expect(errors.InsufficientLock):
        world.act(unlock_mfp(HOST, 1))


def test_withdraw_mfp__one_second_early__is_refused(world: World) -> None:
    world.act(lock_mfp(HOST, 3 * TOKEN), unlock_mfp(HOST, TOKEN))
    world.wait(WEEK - 1)
    with expect(errors.LockNotOver):
        world.act(withdraw_mfp())
    world.wait(1)
    event = world.act(withdraw_mfp()).event(events.MfpWithdrawn)
    assert (event.amount, event.total) == (TOKEN, 2 * TOKEN)
    assert (world.host().mfp_locked, world.host().mfp_unlocking) == (2 * TOKEN, 0)
    assert world.tokens(HOST) == WALLET_TOKENS - 2 * TOKEN


def test_withdraw_mfp__unlocked_again__waits_for_the_last(world: World) -> None:
    world.act(lock_mfp(HOST, 3 * TOKEN), unlock_mfp(HOST, TOKEN))
    world.wait(WEEK)
    world.act(unlock_mfp(HOST, TOKEN))
    with expect(errors.LockNotOver):
        world.act(withdraw_mfp())


def test_withdraw_mfp__nothing_unlocked__is_refused(world: World) -> None:
    world.act(lock_mfp())
    with expect(errors.NothingToWithdraw):
        world.act(withdraw_mfp())


def test_withdraw_mfp__shorter_delay__is_for_later_unlocks(world: World) -> None:
    world.act(lock_mfp(HOST, 2 * TOKEN), unlock_mfp(HOST, TOKEN), set_parameter(MarketParameter.MFP_UNLOCK_DELAY, HOUR))
    world.wait(HOUR)
    with expect(errors.LockNotOver):
        world.act(withdraw_mfp())


def test_withdraw_mfp__paused_market__still_pays(world: World) -> None:
    world.act(lock_mfp(), unlock_mfp(), *(set_paused(area) for area in PauseArea))
    world.wait(WEEK)
    world.act(withdraw_mfp())


@pytest.mark.parametrize("act", [lock_mfp, unlock_mfp, withdraw_mfp])
def test_mfp__somebody_elses_host__is_refused(world: World, act: Any) -> None:
    with expect(errors.WrongHost):
        world.act(act(RIVAL, host=find_host(HOST)[0]))


@pytest.mark.parametrize("act", [lock_mfp, withdraw_mfp])
@pytest.mark.parametrize(
    ("error", "accounts"),
    [
        (errors.WrongPoolAccount, {"catalog_token": token_address(POOL, GPUM)}),
        (errors.WrongTokenOwner, {"authority_token": token_address(STRANGER, GPUM)}),
        (errors.WrongMint, {"authority_token": token_address(HOST, USDC)}),
    ],
)
def test_mfp__foreign_token_account__is_refused(
    world: World, act: Any, error: type[errors.ProgramError], accounts: dict[str, Any]
) -> None:
    world.act(lock_mfp(HOST, 2 * TOKEN), unlock_mfp(HOST, TOKEN))
    world.wait(WEEK)
    with expect(error):
        world.act(act(HOST, **accounts))
