"""withdraw_challenger: an order that waits leaves, and its renter compensates the holder.

Invariants RNT-1, RNT-2, SPT-1, SPT-4.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.types.close_reason import CloseReason

from .harness.actors import HOST, KEEPER, LISTING, MINTS, RENTER, STRANGER, TENANT, WSOL
from .harness.endings import closed
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.spot import (
    GRACE,
    challenged,
    compensation,
    held,
    outbid,
    register_stranger,
    withdraw_challenger,
)
from .harness.world import World

TIP = 20_000
PROVISION_TIMEOUT = 900


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("waited", [1, GRACE - 1, GRACE, GRACE + PROVISION_TIMEOUT + 1])
def test_withdraw_challenger__its_renter__leaves_from_the_next_second_on_for_a_compensation(
    world: World, mint: Pubkey, waited: int
) -> None:
    holder = held(world)
    pool = world.vault(mint).subsidy_pool
    challenger = challenged(world, mint=mint)
    world.wait(waited)
    due = compensation(world, challenger)
    expected = closed(world, challenger, used=0, reason=CloseReason.WITHDRAWN, caller=TENANT, compensation=due)
    outcome = world.act(withdraw_challenger(world, challenger))
    assert outcome.events == (
        expected,
        events.ChallengerWithdrawn(
            listing=LISTING,
            challenger=challenger,
            holder=holder,
            challenge_from=world.now + 1,
            at=world.now,
            listing_seq=expected.listing_seq + 1,
            mint=mint,
            compensation=due,
        ),
    )
    assert world.tokens(TENANT, mint) == WALLET_TOKENS - due
    assert world.vault(mint).subsidy_pool == pool
    refund = expected.refunded if mint == WSOL else 0
    assert outcome.lamports_gained(TENANT) == world.cluster.rent(Rental.SIZE) + TIP + refund
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


def test_withdraw_challenger__waited_too_long__lets_the_next_one_wait_at_once(world: World) -> None:
    held(world)
    challenger = challenged(world)
    world.wait(GRACE + PROVISION_TIMEOUT + 1)
    world.act(withdraw_challenger(world, challenger, caller=STRANGER))
    assert world.listing().challenge_from == 0
    world.act(world.heartbeat())


def test_withdraw_challenger__outbid_meanwhile__does_not_end_the_contest(world: World) -> None:
    register_stranger(world)
    held(world)
    challenged(world)
    world.act(outbid(world))
    assert world.listing().challenge_from == 0


def test_withdraw_challenger__the_holder__is_refused(world: World) -> None:
    holder = held(world)
    challenged(world)
    with expect(errors.WrongChallenger):
        world.act(withdraw_challenger(world, holder, holder=None, holder_payout=None))


def test_withdraw_challenger__nobody_waits__is_refused(world: World) -> None:
    with expect(errors.WrongChallenger):
        world.act(withdraw_challenger(world, held(world), holder=None, holder_payout=None))
