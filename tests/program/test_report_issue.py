"""report_issue: a renter says what is wrong, while the rental exists; that the machine is not as listed may count.

Invariants HST-5, HST-11, RNT-13.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.constants import FIRST_NONCE_SLOTS, REPORT_WINDOW, USD
from anchor_client.generated.pdas import find_host, find_renter_profile
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_issue import RentalIssue
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import HOST, LISTING, LISTINGS, MINTS, RENTER, RIVAL, RIVAL_LISTING, STRANGER, TENANT, USDC
from .harness.changes import set_parameter
from .harness.flows import Flow, accepted, finished, opened, pay_elsewhere, running
from .harness.outcome import expect, expect_refusal
from .harness.reference import Rates, paid_usd
from .harness.terms import DAY, HOUR
from .harness.world import World

NOT_AS_LISTED = RentalIssue.NOT_AS_LISTED
LEAST = 60
"""Seconds of the least charge."""


def least_usd(world: World, rental: Pubkey) -> int:
    """Micro-USD that the renter of a rental pays themselves for its least charge."""
    state = world.rental(rental)
    return paid_usd(Rates(state.rate, state.subsidy_rate, state.burn_rate, state.fee_rate), state.rate_usd, LEAST)


def report(world: World, rental: Pubkey, issue: RentalIssue = NOT_AS_LISTED) -> events.IssueReported:
    return world.act(world.report_issue(rental, issue)).event(events.IssueReported)


@pytest.mark.parametrize("issue", list(RentalIssue))
@pytest.mark.parametrize("bring", [opened, accepted, running])
def test_report_issue__renter_who_has_paid_for_nothing_yet__is_told_and_moves_nothing(
    world: World, bring: Flow, issue: RentalIssue
) -> None:
    rental = bring(world)
    before, vault, host, profile = world.rental(rental), world.vault(), world.host(), world.profile()
    assert report(world, rental, issue) == events.IssueReported(
        rental=rental,
        renter=RENTER,
        listing=LISTING,
        host=find_host(HOST)[0],
        issue=issue,
        weight=0,
        at=world.now,
        seq=before.seq + 1,
        host_seq=0,
    )
    after = world.rental(rental)
    assert after.field_values() == before.field_values() | {"seq": before.seq + 1}
    assert (world.vault(), world.host(), world.profile()) == (vault, host, profile)


@pytest.mark.parametrize("mint", MINTS)
def test_report_issue__not_as_listed__weighs_what_the_renter_has_paid(world: World, mint: Pubkey) -> None:
    """Invariant HST-11."""
    paid = pay_elsewhere(world)
    rental = running(world, mint=mint)
    before, host, vault = world.rental(rental), world.host(), world.vault(mint)
    event = report(world, rental)
    assert (event.weight, event.host_seq) == (paid, host.seq + 1) and paid == ON_DEMAND_USD // 20
    changed = {"seq": before.seq + 1, "not_as_listed": 1}
    assert world.rental(rental).field_values() == before.field_values() | changed
    assert world.host().field_values() == host.field_values() | {"seq": host.seq + 1, "not_as_listed_usd": paid}
    assert world.profile().reported_usd == world.profile().spent_usd == paid
    assert world.vault(mint) == vault


@pytest.mark.parametrize("issue", [each for each in RentalIssue if each is not NOT_AS_LISTED])
def test_report_issue__anything_else__weighs_nothing(world: World, issue: RentalIssue) -> None:
    pay_elsewhere(world)
    assert report(world, running(world), issue).weight == 0
    assert world.host().not_as_listed_usd == world.profile().reported_usd == 0


@pytest.mark.parametrize("bring", [opened, accepted])
def test_report_issue__before_the_start__weighs_nothing(world: World, bring: Flow) -> None:
    pay_elsewhere(world)
    assert report(world, bring(world)).weight == 0


@pytest.mark.parametrize("late", [-1, 0, 1])
def test_report_issue__around_the_first_hour__weighs_within_it(world: World, late: int) -> None:
    paid = pay_elsewhere(world)
    rental = running(world, duration=2 * HOUR)
    world.run(REPORT_WINDOW + late)
    assert report(world, rental).weight == (paid if late < 0 else 0)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_report_issue__around_the_least_charge__weighs_from_it_on(world: World, more: int) -> None:
    """Whoever has paid less than what the report saves them does not save it."""
    rental = running(world)
    paid = least_usd(world, rental) + more
    world.rewrite(find_renter_profile(RENTER)[0], replace(world.profile(), spent_usd=paid))
    assert report(world, rental).weight == (paid if more >= 0 else 0)
    assert world.profile().reported_usd == (paid if more >= 0 else 0)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_report_issue__around_the_prior__weighs_no_more(world: World, more: int) -> None:
    rental = running(world)
    world.act(set_parameter(MarketParameter.REPUTATION_PRIOR_USD, USD))
    world.rewrite(find_renter_profile(RENTER)[0], replace(world.profile(), spent_usd=USD + more))
    assert report(world, rental).weight == min(USD, USD + more)
    assert world.profile().reported_usd == min(USD, USD + more)


def test_report_issue__said_again__weighs_once(world: World) -> None:
    paid = pay_elsewhere(world)
    rental = running(world)
    assert (report(world, rental).weight, report(world, rental).weight) == (paid, 0)
    assert world.host().not_as_listed_usd == paid


def test_report_issue__several_machines__weigh_each_dollar_once(world: World) -> None:
    """A wallet cannot spray reports. Invariant HST-11."""
    paid = pay_elsewhere(world)
    world.act(world.heartbeat(HOST, *LISTINGS))
    rentals = [running(world, listing=listing, mint=USDC) for listing in LISTINGS[:3]]
    assert [report(world, rental).weight for rental in rentals] == [paid, 0, 0]
    for rental in rentals:
        world.act(world.stop_rental(rental))
    again = running(world, mint=USDC)
    assert report(world, again).weight == 0
    world.act(world.stop_rental(again))
    earned = pay_elsewhere(world, seconds=90)
    assert report(world, running(world, mint=USDC)).weight == earned
    assert world.host().not_as_listed_usd == paid + earned == world.profile().reported_usd


def test_report_issue__profile_made_anew__has_nothing_that_weighs(world: World) -> None:
    pay_elsewhere(world)
    world.cluster.halt(0, slots=FIRST_NONCE_SLOTS)
    world.act(instructions.close_renter(wallet=RENTER))
    world.act(world.register_renter(RENTER))
    world.act(world.heartbeat())
    assert report(world, running(world)).weight == 0


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("used", [0, 1, LEAST - 1, LEAST, LEAST + 1])
def test_report_issue__then_stopped__pays_the_seconds_used_alone(world: World, mint: Pubkey, used: int) -> None:
    """Invariant RNT-13."""
    pay_elsewhere(world)
    rental = running(world, mint=mint)
    state = world.rental(rental)
    if used:
        world.run(used)
    reported, closed = world.act(world.report_issue(rental, NOT_AS_LISTED), world.stop_rental(rental)).events
    assert isinstance(reported, events.IssueReported) and isinstance(closed, events.RentalClosed)
    assert closed.seq == reported.seq + 1
    assert (closed.reason, closed.used, closed.charged) == (CloseReason.STOPPED, used, used)
    assert closed.deposit - closed.refunded == -(-state.rate * used // HOUR)


def test_report_issue__without_weight_then_stopped__pays_the_least_charge(world: World) -> None:
    rental = running(world)
    _, closed = world.act(world.report_issue(rental, NOT_AS_LISTED), world.stop_rental(rental)).events
    assert isinstance(closed, events.RentalClosed) and (closed.used, closed.charged) == (0, LEAST)


def test_report_issue__reserved_rental__still_gives_its_discount_back(world: World) -> None:
    pay_elsewhere(world)
    rental = running(world, kind=RentalKind.RESERVED, duration=7 * DAY, mint=USDC)
    world.run(9)
    _, closed = world.act(world.report_issue(rental, NOT_AS_LISTED), world.stop_rental(rental)).events
    assert isinstance(closed, events.RentalClosed) and (closed.used, closed.charged) == (9, 10)


@pytest.mark.parametrize("counts", [True, False])
def test_report_issue__paid_time_then_runs_out__is_completed_only_without_weight(world: World, counts: bool) -> None:
    """Invariant HST-5."""
    if counts:
        pay_elsewhere(world)
    rental = running(world)
    report(world, rental)
    world.run(HOUR)
    closed = world.act(world.finalize_rental(rental)).event(events.RentalClosed)
    assert (closed.reason, closed.completed) == (CloseReason.EXPIRED, not counts)
    assert (world.listing().completed, world.listing().failed) == (int(not counts), 0)


@pytest.mark.parametrize("counts", [True, False])
def test_report_issue__command_then_ends__is_completed_only_without_weight(world: World, counts: bool) -> None:
    """Invariant HST-5."""
    if counts:
        pay_elsewhere(world)
    rental = running(world, may_finish=True)
    report(world, rental)
    world.run(HOUR // 2)
    world.act(world.finish_rental(rental))
    world.wait(DAY)
    assert world.act(world.release_holdback(rental)).event(events.HoldbackReleased).completed is not counts


@pytest.mark.parametrize("bring", [opened, accepted, running])
def test_report_issue__ended__is_refused(world: World, bring: Flow) -> None:
    rental = bring(world)
    act = world.report_issue(rental)
    world.act(world.stop_rental(rental))
    with expect_refusal():
        world.act(act)


def test_report_issue__finished__is_refused(world: World) -> None:
    rental = finished(world)
    with expect(errors.WrongRentalState):
        world.act(world.report_issue(rental, NOT_AS_LISTED))


@pytest.mark.parametrize("signer", [TENANT, HOST, STRANGER])
def test_report_issue__not_the_renter__is_refused(world: World, signer: Pubkey) -> None:
    rental = running(world)
    with expect(errors.WrongRenter):
        world.act(world.report_issue(rental, renter=signer))


def test_report_issue__profile_of_another__is_refused(world: World) -> None:
    """Payments by somebody else do not speak for the renter."""
    pay_elsewhere(world, TENANT)
    rental = running(world)
    with expect(errors.WrongRenter):
        world.act(world.report_issue(rental, NOT_AS_LISTED, renter_profile=find_renter_profile(TENANT)[0]))


@pytest.mark.parametrize("listing", [LISTINGS[1], RIVAL_LISTING])
def test_report_issue__another_listing__is_refused(world: World, listing: Pubkey) -> None:
    rental = running(world)
    with expect(errors.WrongListing):
        world.act(world.report_issue(rental, NOT_AS_LISTED, listing=listing))


def test_report_issue__another_host__is_refused(world: World) -> None:
    pay_elsewhere(world)
    rental = running(world)
    with expect(errors.WrongHost):
        world.act(world.report_issue(rental, NOT_AS_LISTED, host=find_host(RIVAL)[0]))


@pytest.mark.parametrize("market", [find_host(HOST)[0], LISTING, STRANGER])
def test_report_issue__another_account_for_the_market__is_refused(world: World, market: Pubkey) -> None:
    rental = running(world)
    with expect_refusal():
        world.act(world.report_issue(rental, NOT_AS_LISTED, market=market))
