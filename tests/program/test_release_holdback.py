"""release_holdback: anyone pays the host what a finished rental held back, once it can no longer be contested.

Invariants RNT-2, RNT-21, RNT-24, HST-5, KPR-1.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.pdas import find_vault

from .harness.actors import HOST, KEEPER, LISTING, LISTINGS, MINTS, RENTER, RIVAL, STRANGER, TENANT, USDC, WSOL
from .harness.faults import FAULTS, Fault, close_tokens, drain, freeze_vault
from .harness.flows import Flow, accepted, finished, opened, running
from .harness.keys import address
from .harness.outcome import expect, expect_refusal
from .harness.terms import DAY
from .harness.tokens import balance_of, payout_address, put_tokens, token_address
from .harness.world import World


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize(("seconds", "counts"), [(599, False), (600, True)])
def test_release_holdback__window_is_over__pays_the_host(
    world: World, mint: Pubkey, seconds: int, counts: bool
) -> None:
    rental = finished(world, mint=mint, seconds=seconds)
    held = world.vault(mint).liabilities
    paid, seqs = world.tokens(HOST, mint), (world.listing().seq, world.vault(mint).seq)
    world.wait(DAY)
    outcome = world.act(world.release_holdback(rental))
    assert outcome.event(events.HoldbackReleased) == events.HoldbackReleased(
        rental=rental,
        listing=LISTING,
        mint=mint,
        amount=held,
        kept=0,
        completed=counts,
        released_by=KEEPER,
        at=world.now,
        seq=5,
        listing_seq=seqs[0] + 1,
        vault_seq=seqs[1] + 1,
    )
    assert (world.tokens(HOST, mint) - paid, world.vault(mint).liabilities) == (held, 0)
    assert outcome.lamports_gained(KEEPER) == 0
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE)
    assert (world.listing().completed, world.listing().finished) == (int(counts), 0)
    assert not world.exists(rental)


@pytest.mark.parametrize("caller", [RENTER, HOST, TENANT])
def test_release_holdback__anyone__may_send_it(world: World, caller: Pubkey) -> None:
    rental = finished(world)
    world.wait(DAY)
    assert world.act(world.release_holdback(rental, caller=caller)).event(events.HoldbackReleased).released_by == caller


@pytest.mark.parametrize("early", [1, DAY])
def test_release_holdback__before_the_window_is_over__is_refused(world: World, early: int) -> None:
    rental = finished(world)
    world.wait(DAY - early)
    with expect(errors.ContestWindowOpen):
        world.act(world.release_holdback(rental))


@pytest.mark.parametrize("bring", [opened, accepted, running])
def test_release_holdback__not_finished__is_refused(world: World, bring: Flow) -> None:
    rental = bring(world, may_finish=True)
    world.wait(DAY)
    with expect(errors.WrongRentalState):
        world.act(world.release_holdback(rental))


def test_release_holdback__account_of_another__is_refused(world: World) -> None:
    rental = finished(world, mint=USDC)
    world.wait(DAY)
    with expect(errors.WrongTokenOwner):
        world.act(world.release_holdback(rental, host_payout=token_address(KEEPER, USDC)))
    with expect(errors.WrongTokenOwner):
        world.act(world.release_holdback(rental, host_payout=payout_address(RIVAL, USDC)))
    with expect(errors.WrongRenter):
        world.act(world.release_holdback(rental, renter=TENANT))
    with expect(errors.WrongListing):
        world.act(world.release_holdback(rental, listing=LISTINGS[1]))


def assert_becomes_a_fee(world: World, rental: Pubkey, mint: Pubkey) -> None:
    """The vault's debt to the host stays as a fee, and everything else ends as it would have."""
    vault, place = world.vault(mint), token_address(find_vault(mint, 0)[0], mint)
    held, balance = vault.liabilities, balance_of(world.cluster, place)
    outcome = world.act(world.release_holdback(rental))
    event = outcome.event(events.HoldbackReleased)
    assert (event.amount, event.kept, event.completed) == (held, held, True)
    after = world.vault(mint)
    assert (after.liabilities, after.fees_due, after.total_paid) == (0, vault.fees_due + held, vault.total_paid)
    assert balance_of(world.cluster, place) == balance
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE)
    assert outcome.lamports_gained(KEEPER) == 0
    assert (world.listing().completed, world.listing().finished) == (1, 0)
    assert not world.exists(rental)


@pytest.mark.parametrize("fault", FAULTS)
def test_release_holdback__host_that_cannot_take_it__loses_it_after_a_second_window(world: World, fault: Fault) -> None:
    rental = finished(world, mint=USDC)
    fault(world, HOST, USDC)
    for seconds in (DAY, DAY - 1):
        world.wait(seconds)
        with expect(errors.PayeeNotPayable):
            world.act(world.release_holdback(rental))
    world.wait(1)
    act = world.release_holdback(rental)
    assert_becomes_a_fee(world, rental, USDC)
    with expect_refusal():
        world.act(act)


def test_release_holdback__host_without_a_wallet__loses_sol_after_a_second_window(world: World) -> None:
    rental = finished(world, mint=WSOL, seconds=600)
    drain(world, HOST)
    world.wait(2 * DAY - 1)
    with expect(errors.PayeeNotPayable):
        world.act(world.release_holdback(rental))
    world.wait(1)
    assert_becomes_a_fee(world, rental, WSOL)


@pytest.mark.parametrize("mint", MINTS)
def test_release_holdback__host_that_can_take_it__never_loses_it(world: World, mint: Pubkey) -> None:
    rental = finished(world, mint=mint)
    world.wait(100 * DAY)
    event = world.act(world.release_holdback(rental)).event(events.HoldbackReleased)
    assert event.amount > 0 and event.kept == 0


@pytest.mark.parametrize("closed", [False, True])
def test_release_holdback__frozen_vault__takes_nothing_from_the_host(world: World, closed: bool) -> None:
    rental = finished(world, mint=USDC)
    if closed:
        close_tokens(world, HOST, USDC)
    freeze_vault(world, USDC)
    world.wait(3 * DAY)
    with expect(errors.PayeeNotPayable):
        world.act(world.release_holdback(rental))
    put_tokens(world.cluster, USDC, HOST, 0)
    with expect(errors.PayeeNotPayable):
        world.act(world.release_holdback(rental))
    freeze_vault(world, USDC, frozen=False)
    event = world.act(world.release_holdback(rental)).event(events.HoldbackReleased)
    assert world.tokens(HOST, USDC) >= event.amount > event.kept == 0


def test_release_holdback__host_signs__is_paid_elsewhere_after_the_second_window(world: World) -> None:
    rental = finished(world, mint=USDC)
    close_tokens(world, HOST, USDC)
    other = put_tokens(world.cluster, USDC, HOST, 0, at=address("the host's other account"))
    world.wait(3 * DAY)
    act = world.release_holdback(rental, caller=HOST, host_payout=other)
    event = world.act(act).event(events.HoldbackReleased)
    assert balance_of(world.cluster, other) == event.amount > event.kept == 0


def test_attack__account_that_takes_nothing__is_no_fault_of_a_payable_host(world: World) -> None:
    rental = finished(world, mint=USDC)
    close_tokens(world, TENANT, USDC)
    frozen = put_tokens(world.cluster, USDC, HOST, 0, at=address("a frozen account of the host"), frozen=True)
    world.wait(3 * DAY)
    for error, account in (
        (errors.TokenAccountFrozen, frozen),
        (errors.WrongTokenOwner, token_address(RIVAL, USDC)),
        (errors.InvalidTokenAccount, token_address(TENANT, USDC)),
        (errors.InvalidTokenAccount, STRANGER),
    ):
        with expect(error):
            world.act(world.release_holdback(rental, host_payout=account))
    close_tokens(world, HOST, USDC)
    for account in (frozen, token_address(RIVAL, USDC), token_address(TENANT, USDC)):
        with expect_refusal():
            world.act(world.release_holdback(rental, host_payout=account))
    assert_becomes_a_fee(world, rental, USDC)
