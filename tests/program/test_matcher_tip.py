"""A matcher is paid once the rental starts: neither a refusal nor a host that never starts pays for a match.

Invariants REQ-3, REQ-5.
"""

from __future__ import annotations

import pytest
from solders.account import Account
from solders.instruction import AccountMeta
from solders.pubkey import Pubkey
from solders.token import ID as TOKEN_PROGRAM

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter

from .harness.actors import HOST, KEEPER, LISTING, LISTINGS, RENTER, STRANGER, TENANT
from .harness.changes import set_parameter
from .harness.flows import accepted, matched, opened, requested
from .harness.outcome import expect
from .harness.terms import HOUR
from .harness.world import World

TIP = 20_000
SIGNATURE = 5_000
PROVISION_TIMEOUT = 900
MOST_AN_HOUR = 20_000
"""Lamports that lapsed matches earn their sender for each machine-hour, before the fees of the transactions."""
SENDERS = (RENTER, TENANT)
MACHINES = LISTINGS[:2]


def taken(world: World) -> Pubkey:
    """A rental that the keeper has matched and its host has accepted."""
    rental = matched(world, requested(world))
    world.act(world.accept_rental(rental))
    return rental


def test_attack__host_that_refuses__its_matcher_gains_nothing(world: World) -> None:
    """A fake host's other wallet matches a request and the host refuses it, over and over."""
    request = requested(world)
    assert world.act(world.match_request(request)).lamports_gained(KEEPER) == 0
    outcome = world.act(world.cancel_rental(world.listing().current, CloseReason.ORDER_REFUSED))
    assert outcome.lamports_gained(HOST) == 0
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE) + 2 * TIP


@pytest.mark.parametrize("accepts", [False, True])
def test_attack__host_that_never_starts__its_other_wallet_gets_the_cost_of_a_transaction(
    world: World, accepts: bool
) -> None:
    rental = taken(world) if accepts else matched(world, requested(world))
    world.wait(PROVISION_TIMEOUT + 1)
    outcome = world.act(world.cancel_unstarted(rental))
    assert outcome.event(events.RentalClosed).tip_lamports == SIGNATURE
    assert outcome.lamports_gained(KEEPER) == SIGNATURE
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE) + 2 * TIP - SIGNATURE


def test_attack__matches_that_lapse_together__earn_their_sender_a_quarter_tip_each_and_no_more(world: World) -> None:
    """A host lets the requests of others lapse on its machines, and ends them in one transaction of one signature. Each
    costs it a failure, and the machine for a quarter of an hour; the bound stands in docs/security.md."""
    rentals = [
        matched(world, requested(world, renter), listing) for renter, listing in zip(SENDERS, MACHINES, strict=True)
    ]
    held_from = world.now
    world.wait(PROVISION_TIMEOUT + 1)
    outcome = world.act(*(world.cancel_unstarted(rental) for rental in rentals))
    assert outcome.lamports_gained(KEEPER) == len(rentals) * SIGNATURE
    for renter, listing in zip(SENDERS, MACHINES, strict=True):
        assert outcome.lamports_gained(renter) == world.cluster.rent(Rental.SIZE) + 2 * TIP - SIGNATURE
        assert world.listing(listing).failed == 1
    machine_hours = len(rentals) * (world.now - held_from) / HOUR
    assert outcome.lamports_gained(KEEPER) / machine_hours < MOST_AN_HOUR


def test_cancel_unstarted__tip_below_the_cost__is_all_of_it(world: World) -> None:
    world.act(set_parameter(MarketParameter.TIP_LAMPORTS, SIGNATURE - 1))
    rental = matched(world, requested(world))
    world.wait(PROVISION_TIMEOUT + 1)
    assert world.act(world.cancel_unstarted(rental)).event(events.RentalClosed).tip_lamports == SIGNATURE - 1


def test_stop_rental__matched_and_not_started__gives_the_renter_both_tips(world: World) -> None:
    outcome = world.act(world.stop_rental(taken(world)))
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE) + 2 * TIP


@pytest.mark.parametrize("matcher", [KEEPER, STRANGER, RENTER, HOST])
def test_start_rental__matched__pays_the_matcher_once(world: World, matcher: Pubkey) -> None:
    request = requested(world)
    world.act(world.match_request(request, caller=matcher))
    rental = world.listing().current
    world.act(world.accept_rental(rental))
    outcome = world.act(world.start_rental(rental))
    started = outcome.event(events.RentalStarted)
    assert (started.matched_by, started.match_tip) == (matcher, TIP)
    assert outcome.lamports_gained(matcher) == TIP
    assert outcome.lamports_gained(rental) == -TIP
    assert not world.rental(rental).is_matched
    world.run(HOUR)
    assert world.act(world.finalize_rental(rental)).lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE)


def test_start_rental__matcher_left_out_or_another__is_refused(world: World) -> None:
    rental = taken(world)
    for given in ([], [meta(STRANGER)], [meta(STRANGER), meta(KEEPER)], [meta(KEEPER, is_writable=False)]):
        with expect(errors.WrongMatcher):
            world.act(world.start_rental(rental, remaining_accounts=given))
    world.act(world.start_rental(rental))


def test_start_rental__without_a_match__pays_nobody(world: World) -> None:
    outcome = world.act(world.start_rental(accepted(world), remaining_accounts=[meta(STRANGER)]))
    assert outcome.lamports_gained(STRANGER) == 0
    assert outcome.event(events.RentalStarted).match_tip == 0


@pytest.mark.parametrize("executable", [False, True])
def test_attack__matcher_that_cannot_be_paid__does_not_stop_the_start(world: World, executable: bool) -> None:
    """An empty wallet cannot hold so little, and a program's account gets no lamports: the renter has the tip."""
    rental = taken(world)
    program, gone = world.cluster.account(TOKEN_PROGRAM), Account(0, b"", Pubkey.default())
    assert program is not None and program.executable
    world.cluster.set_account(KEEPER, program if executable else gone)
    world.cluster.observers.clear()
    world.act(world.start_rental(rental))
    assert not world.rental(rental).is_matched
    world.run(HOUR)
    outcome = world.act(world.finalize_rental(rental, caller=STRANGER))
    assert outcome.lamports_gained(STRANGER) == TIP
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE) + TIP


def test_open_rental__without_a_request__has_no_matcher(world: World) -> None:
    rental = opened(world)
    assert not world.rental(rental).is_matched
    world.wait(PROVISION_TIMEOUT + 1)
    assert world.act(world.cancel_unstarted(rental)).event(events.RentalClosed).tip_lamports == TIP
    assert world.listing(LISTING).failed == 1


def meta(wallet: Pubkey, *, is_writable: bool = True) -> AccountMeta:
    return AccountMeta(wallet, is_signer=False, is_writable=is_writable)
