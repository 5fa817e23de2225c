"""register_renter: a wallet makes its profile, whoever pays for it. Invariant SYS-6."""

from __future__ import annotations

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.renter_profile import RenterProfile
from anchor_client.generated.pdas import find_renter_profile, find_stake

from .harness.actors import RENTER, STRANGER
from .harness.cluster import FIRST_NONCE, START
from .harness.keys import address
from .harness.outcome import Outcome, expect_refusal
from .harness.specimens import without_flag
from .harness.world import World

NEWCOMER = address("newcomer")


def profile_of(wallet: Pubkey) -> RenterProfile:
    return RenterProfile(
        version=1,
        bump=find_renter_profile(wallet)[1],
        stake=find_stake(wallet)[0],
        reserved_flags=bytes(6),
        wallet=wallet,
        next_nonce=FIRST_NONCE,
        spent_usd=0,
        reported_usd=0,
        active_rentals=0,
        completed_rentals=0,
        region_rentals=bytes(64),
    )


def assert_registered(world: World, outcome: Outcome, wallet: Pubkey) -> None:
    assert world.profile(wallet) == profile_of(wallet)
    assert outcome.event(events.RenterRegistered) == events.RenterRegistered(
        profile=find_renter_profile(wallet)[0], wallet=wallet, next_nonce=FIRST_NONCE, at=START
    )
    assert outcome.lamports_gained(STRANGER) == -world.cluster.rent(RenterProfile.SIZE)


def test_register_renter__wallet_pays_for_itself__creates_the_profile(world: World) -> None:
    outcome = world.act(world.register_renter(STRANGER))
    assert_registered(world, outcome, STRANGER)


def test_register_renter__someone_else_pays__creates_the_profile(world: World) -> None:
    outcome = world.act(world.register_renter(NEWCOMER, STRANGER))
    assert_registered(world, outcome, NEWCOMER)


def test_register_renter__wallet_that_has_not_signed__is_refused(world: World) -> None:
    """A stranger who made it in front of a wallet's first order made that order fail."""
    act = world.register_renter(NEWCOMER, STRANGER)
    index = next(i for i, meta in enumerate(act.accounts) if meta.pubkey == NEWCOMER)
    with expect_refusal():
        world.act(without_flag(act, index, "is_signer"))


def test_register_renter__first_order__in_one_transaction(world: World) -> None:
    world.act(
        world.register_renter(STRANGER),
        world.open_rental(STRANGER, nonce=FIRST_NONCE),
    )
    assert world.profile(STRANGER).next_nonce == FIRST_NONCE + 1


def test_register_renter__twice__is_refused(world: World) -> None:
    with expect_refusal():
        world.act(world.register_renter(RENTER, STRANGER))


def test_register_renter__profile_of_another_wallet__is_refused(world: World) -> None:
    other = find_renter_profile(NEWCOMER)[0]
    with expect_refusal():
        world.act(world.register_renter(address("third"), STRANGER, renter_profile=other))


@pytest.mark.parametrize("lamports", [1, 10**9])
def test_register_renter__prefunded_address__works(world: World, lamports: int) -> None:
    world.cluster.set_account(find_renter_profile(NEWCOMER)[0], Account(lamports, b"", Pubkey.default()))
    world.act(world.register_renter(NEWCOMER, STRANGER))
    assert world.profile(NEWCOMER) == profile_of(NEWCOMER)
