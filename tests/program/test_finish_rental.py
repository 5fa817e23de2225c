"""finish_rental: the host ends a rental whose command has ended, if its renter has agreed to that.

Invariants RNT-1, RNT-2, RNT-7, RNT-16, RNT-21, RNT-23, HST-8.
"""

from __future__ import annotations

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.rental_kind import RentalKind
from anchor_client.generated.types.rental_state import RentalState

from .harness.actors import HOST, KEEPER, LISTING, MINTS, RENTER, RIVAL, STRANGER, USDC
from .harness.endings import closed
from .harness.flows import accepted, finished, opened, running
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.terms import DAY, HOUR
from .harness.tokens import put_tokens
from .harness.world import World

WINDOW = DAY


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize(("seconds", "code"), [(1, 255), (1_234, 0), (HOUR - 1, 1)])
def test_finish_rental__agreed__pays_the_seconds_used_less_the_holdback(
    world: World, mint: Pubkey, seconds: int, code: int
) -> None:
    rental = running(world, mint=mint, may_finish=True)
    world.run(seconds)
    expected = closed(world, rental, used=seconds, reason=CloseReason.FINISHED, caller=HOST, exit_code=code)
    outcome = world.act(world.finish_rental(rental, code))
    assert outcome.event(events.RentalClosed) == expected
    assert (expected.charged, expected.contest_by, expected.tip_lamports) == (seconds, world.now + WINDOW, 0)
    assert 0 < expected.held < expected.paid and not expected.completed
    assert world.tokens(HOST, mint) == WALLET_TOKENS + expected.paid - expected.held
    assert world.tokens(RENTER, mint) == WALLET_TOKENS - expected.deposit + expected.refunded
    assert world.vault(mint).liabilities == expected.held
    state, listing = world.rental(rental), world.listing()
    assert (state.state, state.settled, state.deposit, state.exit_code) == (RentalState.FINISHED, seconds, 0, code)
    assert (listing.current, listing.finished, listing.completed, listing.failed) == (Pubkey.default(), 1, 0, 0)
    world.act(world.open_rental())


def test_finish_rental__after_settling__keeps_what_was_paid(world: World) -> None:
    rental = running(world, may_finish=True)
    world.run(600)
    world.act(world.settle_rental(rental))
    expected = closed(world, rental, used=600, reason=CloseReason.FINISHED, caller=HOST)
    assert world.act(world.finish_rental(rental)).event(events.RentalClosed) == expected
    assert expected.paid_now == expected.held


def test_finish_rental__renter_has_not_agreed__is_refused(world: World) -> None:
    with expect(errors.FinishNotAgreed):
        world.act(world.finish_rental(running(world)))


def test_finish_rental__reserved_after_an_hour__is_never_agreed_to(world: World) -> None:
    """It would have the discount of a week for an hour. Invariant RNT-16."""
    order = {"kind": RentalKind.RESERVED, "duration": 7 * DAY}
    with expect(errors.ReservedFinish):
        running(world, may_finish=True, **order)
    rental = running(world, **order)
    world.run(HOUR)
    with expect(errors.FinishNotAgreed):
        world.act(world.finish_rental(rental))


@pytest.mark.parametrize("signer", [RENTER, RIVAL, STRANGER, KEEPER])
def test_finish_rental__not_the_operator__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.WrongOperator):
        world.act(world.finish_rental(running(world, may_finish=True), caller=signer))


def test_finish_rental__owner_who_does_not_operate__is_refused(world: World) -> None:
    rental = running(world, may_finish=True)
    world.act(world.set_operator(STRANGER))
    with expect(errors.WrongOperator):
        world.act(world.finish_rental(rental, caller=HOST))
    world.act(world.finish_rental(rental))


def test_finish_rental__not_running__is_refused(world: World) -> None:
    for bring in (opened, accepted, finished):
        rental = bring(world, may_finish=True) if bring is not finished else bring(world)
        with expect(errors.WrongRentalState):
            world.act(world.finish_rental(rental))
        if world.listing().current == rental:
            world.act(world.stop_rental(rental))


def test_finish_rental__paid_time_over__is_refused(world: World) -> None:
    rental = running(world, may_finish=True)
    world.run(HOUR)
    with expect(errors.RentalExpired):
        world.act(world.finish_rental(rental))


def test_finish_rental__silent_host__is_refused_and_pays_the_holdback(world: World) -> None:
    """It would keep the holdback from the renter. Invariant RNT-7."""
    rental = running(world, may_finish=True)
    world.run(600)
    world.fall_silent()
    with expect(errors.ListingOffline):
        world.act(world.finish_rental(rental))
    event = world.act(world.report_offline(rental)).event(events.RentalClosed)
    assert (event.reason, event.held) == (CloseReason.HOST_OFFLINE, 0)


def test_finish_rental__renter_cannot_be_paid__goes_on(world: World) -> None:
    rental = running(world, mint=USDC, may_finish=True)
    world.run(600)
    held = world.tokens(RENTER, USDC)
    put_tokens(world.cluster, USDC, RENTER, held, frozen=True)
    with expect(errors.PayeeNotPayable):
        world.act(world.finish_rental(rental))
    put_tokens(world.cluster, USDC, RENTER, held)
    world.act(world.finish_rental(rental))


def test_finish_rental__host_cannot_be_paid__is_owed_all_but_the_holdback(world: World) -> None:
    rental = running(world, mint=USDC, may_finish=True)
    world.run(600)
    held = world.tokens(HOST, USDC)
    put_tokens(world.cluster, USDC, HOST, held, frozen=True)
    event = world.act(world.finish_rental(rental)).event(events.RentalClosed)
    assert world.listing().owed == event.host_owed == event.paid_now - event.held > 0
    world.wait(WINDOW)
    with expect(errors.PayeeNotPayable):
        world.act(world.release_holdback(rental))
    put_tokens(world.cluster, USDC, HOST, held)
    world.act(world.claim_payout(), world.release_holdback(rental))
    assert world.tokens(HOST, USDC) == held + event.paid
    assert world.vault(USDC).liabilities == 0


def test_finish_rental__what_a_finished_rental_cannot_do__is_refused(world: World) -> None:
    rental = finished(world)
    for act in (
        world.settle_rental(rental),
        world.extend_rental(rental),
        world.report_issue(rental),
        world.stop_rental(rental),
        world.cancel_rental(rental),
        world.finalize_rental(rental),
        world.report_offline(rental),
        world.cancel_unstarted(rental),
        world.claim_refund(rental),
    ):
        with expect_refusal():
            world.act(act)


def test_finish_rental__listing__stays_until_nothing_is_held_back(world: World) -> None:
    rental = finished(world)
    close = instructions.close_listing(authority=HOST, listing=LISTING, host=find_host(HOST)[0])
    with expect(errors.HoldbackPending):
        world.act(close)
    world.wait(WINDOW)
    world.act(world.release_holdback(rental), close)


def test_finish_rental__tip__goes_back_at_once_and_the_rent_later(world: World) -> None:
    """Invariant RNT-23."""
    rental = running(world, mint=USDC, may_finish=True)
    tip = world.rental(rental).tip_lamports
    world.run(600)
    assert world.act(world.finish_rental(rental)).lamports_gained(RENTER) == tip > 0
    account = world.cluster.account(rental)
    assert account is not None and account.lamports == world.cluster.rent(Rental.SIZE)
    assert world.rental(rental).tip_lamports == 0


@pytest.mark.parametrize("contests", [True, False])
def test_finish_rental__renter_without_a_wallet__has_the_tip_with_the_rent(world: World, contests: bool) -> None:
    """So small an amount cannot be the first of a wallet."""
    rental = running(world, mint=USDC, may_finish=True)
    tip, wallet = world.rental(rental).tip_lamports, world.cluster.account(RENTER)
    assert wallet is not None
    world.run(600)
    world.cluster.set_account(RENTER, Account(0, b"", wallet.owner))
    world.act(world.finish_rental(rental))
    assert world.rental(rental).tip_lamports == tip
    if contests:
        outcome = world.act(world.contest_finish(rental))
    else:
        world.wait(WINDOW)
        outcome = world.act(world.release_holdback(rental))
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE) + tip
