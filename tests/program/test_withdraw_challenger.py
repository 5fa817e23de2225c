"""withdraw_challenger: an order that waits leaves with everything. Invariants RNT-1, RNT-2, SPT-1, SPT-4."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.types.close_reason import CloseReason

from .harness.actors import HOST, KEEPER, LISTING, MINTS, RENTER, STRANGER, TENANT
from .harness.endings import closed
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.spot import GRACE, challenged, held, withdraw_challenger
from .harness.world import World

TIP = 20_000
PROVISION_TIMEOUT = 900


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("waited", [0, GRACE - 1, GRACE, GRACE + PROVISION_TIMEOUT + 1])
def test_withdraw_challenger__its_renter__has_everything_back_at_any_time(
    world: World, mint: Pubkey, waited: int
) -> None:
    holder = held(world)
    pool = world.vault(mint).subsidy_pool
    challenger = challenged(world, mint=mint)
    world.wait(waited)
    expected = closed(world, challenger, used=0, reason=CloseReason.WITHDRAWN, caller=TENANT)
    outcome = world.act(withdraw_challenger(world, challenger))
    assert outcome.events == (
        expected,
        events.ChallengerWithdrawn(
            listing=LISTING, challenger=challenger, holder=holder, at=world.now, listing_seq=expected.listing_seq + 1
        ),
    )
    assert world.tokens(TENANT, mint) == WALLET_TOKENS
    assert world.vault(mint).subsidy_pool == pool
    assert outcome.lamports_gained(TENANT) == world.cluster.rent(Rental.SIZE) + TIP
    listing = world.listing()
    assert (listing.current, listing.challenger, listing.preempt_at) == (holder, Pubkey.default(), 0)
    assert (listing.completed, listing.failed, world.profile(TENANT).active_rentals) == (0, 0, 0)


@pytest.mark.parametrize("signer", [KEEPER, RENTER, HOST, STRANGER])
def test_withdraw_challenger__anyone__once_it_has_waited_too_long(world: World, signer: Pubkey) -> None:
    held(world)
    challenger = challenged(world)
    world.wait(GRACE + PROVISION_TIMEOUT)
    with expect(errors.ChallengerInTime):
        world.act(withdraw_challenger(world, challenger, caller=signer))
    world.wait(1)
    expected = closed(world, challenger, used=0, reason=CloseReason.TAKE_OVER_TIMEOUT, caller=signer)
    outcome = world.act(withdraw_challenger(world, challenger, caller=signer))
    assert outcome.events[0] == expected
    assert outcome.lamports_gained(signer) == TIP
    assert world.tokens(TENANT) == WALLET_TOKENS


def test_withdraw_challenger__the_holder__is_refused(world: World) -> None:
    holder = held(world)
    challenged(world)
    with expect(errors.WrongChallenger):
        world.act(withdraw_challenger(world, holder))


def test_withdraw_challenger__nobody_waits__is_refused(world: World) -> None:
    with expect(errors.WrongChallenger):
        world.act(withdraw_challenger(world, held(world)))
