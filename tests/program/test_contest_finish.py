"""contest_finish: the renter denies that the command had ended; neither side gets what was held back.

Invariants RNT-2, RNT-21, RNT-23, HST-3, HST-5, HST-11, MKT-2.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.pdas import find_host, find_renter_profile
from anchor_client.generated.types.rental_issue import RentalIssue

from .harness.actors import HOST, KEEPER, LISTING, LISTINGS, MINTS, RENTER, RIVAL, TENANT, USDC
from .harness.flows import Flow, accepted, finished, opened, pay_elsewhere, running
from .harness.outcome import expect
from .harness.terms import DAY, HOUR
from .harness.world import World

TIP = 20_000


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("wait", [0, DAY - 1])
def test_contest_finish__renter_in_time__makes_the_holdback_a_fee(world: World, mint: Pubkey, wait: int) -> None:
    rental = finished(world, mint=mint)
    vault, tokens = world.vault(mint), [world.tokens(who, mint) for who in (HOST, RENTER)]
    seqs, paid = (world.listing().seq, world.host().seq), world.profile().spent_usd
    world.wait(wait)
    outcome = world.act(world.contest_finish(rental))
    assert outcome.event(events.FinishContested) == events.FinishContested(
        rental=rental,
        renter=RENTER,
        listing=LISTING,
        mint=mint,
        amount=vault.liabilities,
        at=world.now,
        seq=5,
        listing_seq=seqs[0] + 1,
        vault_seq=vault.seq + 1,
        host=find_host(HOST)[0],
        weight=paid,
        host_seq=seqs[1] + 1,
    )
    after = world.vault(mint)
    assert (after.liabilities, after.fees_due) == (0, vault.fees_due + vault.liabilities)
    assert [world.tokens(who, mint) for who in (HOST, RENTER)] == tokens
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE)
    listing = world.listing()
    assert (listing.finished, listing.completed, listing.failed) == (0, 0, 0)
    assert not world.exists(rental)


@pytest.mark.parametrize("late", [0, 1, DAY])
def test_contest_finish__window_is_over__is_refused(world: World, late: int) -> None:
    rental = finished(world)
    world.wait(DAY + late)
    with expect(errors.ContestWindowOver):
        world.act(world.contest_finish(rental))


@pytest.mark.parametrize("signer", [HOST, TENANT, KEEPER])
def test_contest_finish__not_the_renter__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.WrongRenter):
        world.act(world.contest_finish(finished(world), renter=signer))


@pytest.mark.parametrize("bring", [opened, accepted, running])
def test_contest_finish__not_finished__is_refused(world: World, bring: Flow) -> None:
    with expect(errors.WrongRentalState):
        world.act(world.contest_finish(bring(world, may_finish=True)))


def test_contest_finish__another_listing__is_refused(world: World) -> None:
    with expect(errors.WrongListing):
        world.act(world.contest_finish(finished(world), listing=LISTINGS[1]))


def test_contest_finish__profile_or_host_of_another__is_refused(world: World) -> None:
    rental = finished(world)
    with expect(errors.WrongRenter):
        world.act(world.contest_finish(rental, renter_profile=find_renter_profile(TENANT)[0]))
    with expect(errors.WrongHost):
        world.act(world.contest_finish(rental, host=find_host(RIVAL)[0]))


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("contests", [True, False])
def test_attack__contest_of_a_true_finish__gains_the_renter_nothing(world: World, mint: Pubkey, contests: bool) -> None:
    """It would pay them the tip. Invariant RNT-23."""
    rental = running(world, mint=mint, may_finish=True)
    world.run(HOUR // 2)
    lamports, tokens = world.act(world.finish_rental(rental)).lamports_gained(RENTER), world.tokens(RENTER, mint)
    if contests:
        outcome = world.act(world.contest_finish(rental))
    else:
        world.wait(DAY)
        outcome = world.act(world.release_holdback(rental))
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE)
    assert world.tokens(RENTER, mint) == tokens
    assert mint not in (USDC,) or lamports == TIP


@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("used", [0, 1, 2 * HOUR, 30 * HOUR])
def test_attack__host_that_drops_a_rental_as_finished__gets_once_contested_what_giving_up_pays(
    world: World, used: int, settled: bool
) -> None:
    """Invariant RNT-23."""
    paid = []
    for act in (world.cancel_rental, world.finish_rental):
        before = world.tokens(HOST, USDC)
        rental = running(world, mint=USDC, may_finish=True, duration=48 * HOUR)
        world.run(used)
        if settled:
            world.act(world.settle_rental(rental))
            world.run(used // 2)
        world.act(act(rental))
        if act == world.finish_rental:
            world.act(world.contest_finish(rental))
        paid.append(world.tokens(HOST, USDC) - before)
    assert paid[0] == paid[1] and (paid[0] > 0) == (used > 0)
    assert (world.listing().completed, world.listing().failed, world.listing().finished) == (0, 1, 0)


@pytest.mark.parametrize("history", [0, 180])
@pytest.mark.parametrize("used", [1, 59, 60])
def test_contest_finish__command_that_ends_at_once__weighs_what_its_renter_has_paid(
    world: World, used: int, history: int
) -> None:
    """Seconds of use buy no failure. Invariant HST-11."""
    if history:
        pay_elsewhere(world, seconds=history)
    rental = finished(world, mint=USDC, seconds=used)
    paid = world.profile().spent_usd
    weight = paid if history or used == 60 else 0
    event = world.act(world.contest_finish(rental)).event(events.FinishContested)
    assert event.weight == weight == world.host().not_as_listed_usd == world.profile().reported_usd
    assert (world.listing().completed, world.listing().failed) == (0, 0)


def test_contest_finish__again_and_again__weighs_each_dollar_once(world: World) -> None:
    """Invariant HST-11."""
    earned = []
    for _ in range(3):
        rental = finished(world, mint=USDC, seconds=600)
        earned.append(world.act(world.contest_finish(rental)).event(events.FinishContested).weight)
    assert earned[0] == earned[1] == earned[2] > 0
    assert world.host().not_as_listed_usd == sum(earned) == world.profile().spent_usd


def test_contest_finish__reported_before__weighs_no_more(world: World) -> None:
    """Once per rental. Invariant HST-11."""
    paid = pay_elsewhere(world)
    rental = running(world, mint=USDC, may_finish=True)
    world.act(world.report_issue(rental, RentalIssue.NOT_AS_LISTED))
    world.run(HOUR // 2)
    world.act(world.finish_rental(rental))
    event = world.act(world.contest_finish(rental)).event(events.FinishContested)
    assert (event.weight, event.host_seq, world.host().not_as_listed_usd) == (0, 0, paid)
