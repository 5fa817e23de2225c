"""The compensation: a spot holder who is displaced, or kept waiting for nothing, is paid by the order that did it.

Invariants MKT-2, RNT-1, RNT-4, SPT-4, SPT-8, SPT-9.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from solders.account import Account
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_vault
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.rules.rental import compensation_paid_by
from anchor_idl.runtime.structs import Event

from .harness.actors import AUTHORITY, GPUM, HOST, KEEPER, LISTINGS, MINTS, RENTER, STRANGER, TENANT, USDC, WSOL
from .harness.changes import set_parameter
from .harness.keys import address
from .harness.market import WALLET_TOKENS
from .harness.outcome import Outcome, expect, expect_refusal
from .harness.reference import ceil_div
from .harness.spot import (
    GRACE,
    LONG,
    challenged,
    compensation,
    held,
    outbid,
    place_bid,
    preempt,
    register_stranger,
    take_over,
    withdraw_challenger,
)
from .harness.terms import HOUR, SUBSIDY_FUNDED
from .harness.tokens import put_tokens, token_address
from .harness.world import World

PROVISION_TIMEOUT = 900
E = TypeVar("E", bound=Event)
LEAST_CHARGE = 60
Harm = Callable[[World, Pubkey], None]
ANY_MINTS = pytest.mark.parametrize("mint", MINTS)
"""Mint that pays the order that waits; the holder pays in the market token."""


def close(world: World, mint: Pubkey) -> None:
    """The holder's token account is gone."""
    world.cluster.set_account(token_address(RENTER, mint), Account(0, b"", SYSTEM_PROGRAM))


def freeze(world: World, mint: Pubkey) -> None:
    put_tokens(world.cluster, mint, RENTER, world.tokens(RENTER, mint), frozen=True)


def freeze_vault(world: World, mint: Pubkey) -> None:
    vault = find_vault(mint, 0)[0]
    put_tokens(world.cluster, mint, vault, world.tokens(vault, mint), frozen=True)


def one(outcome: Outcome, kind: type[E]) -> E:
    """The event of this kind among those of a transaction."""
    [found] = [event for event in outcome.events if isinstance(event, kind)]
    return found


@ANY_MINTS
def test_place_bid__order_that_waits__escrows_its_least_charge_besides(world: World, mint: Pubkey) -> None:
    held(world)
    rental = world.rental(challenged(world, mint=mint))
    cost = ceil_div(rental.rate * LONG, HOUR)
    spare = ceil_div((rental.rate + rental.subsidy_rate) * LEAST_CHARGE, HOUR)
    assert rental.deposit == cost + spare
    assert world.tokens(TENANT, mint) == WALLET_TOKENS - cost - spare


def test_place_bid__most_it_may_cost__includes_the_compensation(world: World) -> None:
    held(world)
    deposit = world.rental(challenged(world, mint=USDC)).deposit
    world.run(1)
    world.act(withdraw_challenger(world, world.listing().challenger))
    world.run(1)
    with expect(errors.CostAboveMaximum):
        world.act(place_bid(world, mint=USDC, max_deposit=deposit - 1))
    put_tokens(world.cluster, USDC, TENANT, deposit - 1)
    with expect(errors.InsufficientFunds):
        world.act(place_bid(world, mint=USDC, max_deposit=deposit))
    put_tokens(world.cluster, USDC, TENANT, deposit)
    world.act(place_bid(world, mint=USDC, max_deposit=deposit))


@ANY_MINTS
def test_attack__evict_and_leave__pays_the_evicted(world: World, mint: Pubkey) -> None:
    """A bid that displaces a holder and leaves at once costs its least charge twice: to the holder and to the host."""
    held(world, mint=USDC)
    challenger = challenged(world, mint=mint)
    state, due = world.rental(challenger), compensation(world, challenger)
    deposit, least = state.deposit, ceil_div(state.rate * state.min_charge, HOUR)
    world.run(GRACE)
    before = world.tokens(RENTER, mint)
    closed, took_over = world.act(preempt(world)).events
    assert isinstance(closed, events.RentalClosed) and isinstance(took_over, events.RentalTookOver)
    assert (took_over.compensation, took_over.compensation_kept, took_over.mint) == (due, 0, mint)
    assert took_over.vault_seq == world.vault(mint).seq
    assert world.tokens(RENTER, mint) == before + due + (closed.refunded if mint == USDC else 0)
    assert world.rental(challenger).deposit == deposit - due
    assert world.vault(mint).total_compensated == due
    left = one(world.act(world.stop_rental(challenger)), events.RentalClosed)
    assert (left.reason, left.compensation, left.deposit) == (CloseReason.WITHDRAWN, 0, deposit - due)
    assert left.deposit - left.refunded == least
    assert world.tokens(TENANT, mint) == WALLET_TOKENS - due - least


@ANY_MINTS
@pytest.mark.parametrize("waited", [1, GRACE - 1, GRACE])
def test_attack__block_and_leave__pays_the_blocked(world: World, mint: Pubkey, waited: int) -> None:
    """A bid that has a holder save their work and leaves before it could win costs as much."""
    holder = held(world)
    challenger = challenged(world, mint=mint)
    due = compensation(world, challenger)
    world.run(waited)
    before = world.tokens(RENTER, mint)
    closed, withdrawn = world.act(withdraw_challenger(world, challenger)).events
    assert isinstance(closed, events.RentalClosed) and isinstance(withdrawn, events.ChallengerWithdrawn)
    assert (closed.compensation, closed.compensation_kept, closed.refunded) == (due, 0, closed.deposit - due)
    assert (withdrawn.holder, withdrawn.compensation, withdrawn.mint) == (holder, due, mint)
    assert world.tokens(RENTER, mint) == before + due
    assert world.tokens(TENANT, mint) == WALLET_TOKENS - due
    vault = world.vault(mint)
    assert (vault.total_compensated, vault.open_rentals) == (due, 1 if mint == GPUM else 0)


def test_preempt__other_shard_of_the_holders_mint__compensates_out_of_that_one(world: World) -> None:
    world.act(world.fund_subsidy(AUTHORITY, SUBSIDY_FUNDED, shard=1))
    held(world)
    due = compensation(world, challenged(world, shard=1))
    world.run(GRACE)
    before = world.tokens(RENTER)
    refunded = one(world.act(preempt(world)), events.RentalClosed).refunded
    assert world.tokens(RENTER) == before + refunded + due
    assert (world.vault(GPUM, 0).total_compensated, world.vault(GPUM, 1).total_compensated) == (0, due)


@pytest.mark.parametrize("mint", [GPUM, WSOL])
def test_preempt__one_vault__refunds_and_compensates_together(world: World, mint: Pubkey) -> None:
    held(world, mint=mint)
    challenger = challenged(world, mint=mint)
    due = compensation(world, challenger)
    assert compensation_paid_by(world.rental(challenger)) == 0
    world.run(GRACE)
    before = world.tokens(RENTER, mint)
    refunded = one(world.act(preempt(world)), events.RentalClosed).refunded
    assert refunded > 0 and world.tokens(RENTER, mint) == before + refunded + due
    assert compensation_paid_by(world.rental(challenger)) == due


def test_outbid__beaten_order__compensates_nobody(world: World) -> None:
    register_stranger(world)
    held(world)
    challenged(world, mint=USDC)
    closed = one(world.act(outbid(world, STRANGER)), events.RentalClosed)
    assert (closed.compensation, closed.refunded) == (0, closed.deposit)
    assert world.tokens(TENANT, USDC) == WALLET_TOKENS


def test_withdraw_challenger__waited_too_long__compensates_nobody(world: World) -> None:
    held(world)
    challenger = challenged(world, mint=USDC)
    world.wait(GRACE + PROVISION_TIMEOUT + 1)
    act = withdraw_challenger(world, challenger, caller=KEEPER, holder_payout=None)
    closed, withdrawn = world.act(act).events
    assert isinstance(closed, events.RentalClosed) and isinstance(withdrawn, events.ChallengerWithdrawn)
    assert (closed.reason, closed.compensation, withdrawn.compensation) == (CloseReason.TAKE_OVER_TIMEOUT, 0, 0)
    assert (world.tokens(TENANT, USDC), world.tokens(RENTER, USDC)) == (WALLET_TOKENS, WALLET_TOKENS)


@pytest.mark.parametrize("leave", [True, False])
def test_machine__that_fell_idle__is_left_or_taken_over_without_a_compensation(world: World, leave: bool) -> None:
    """It is left only when it cannot be taken: its host has not been heard from."""
    holder = held(world)
    challenger = challenged(world, mint=USDC)
    world.wait(1)
    due = compensation(world, challenger)
    world.act(world.stop_rental(holder))
    if leave:
        world.wait(world.market().offline_after + 1)
        world.act(withdraw_challenger(world, challenger))
        assert world.tokens(TENANT, USDC) == WALLET_TOKENS
        return
    world.act(take_over(world), world.accept_rental(challenger), world.start_rental(challenger))
    world.run(LONG)
    closed = one(world.act(world.finalize_rental(challenger)), events.RentalClosed)
    assert (closed.refunded, closed.compensation) == (due, 0)
    assert world.vault(USDC).total_compensated == 0


@pytest.mark.parametrize("evicts", [True, False])
def test_extend_rental__order_that_waited__pays_for_the_seconds_alone(world: World, evicts: bool) -> None:
    """Deposit that it did not need as compensation stays its own. Invariant RNT-4."""
    holder = held(world)
    challenger = challenged(world, mint=USDC)
    rate = world.rental(challenger).rate
    if evicts:
        world.run(GRACE)
        world.act(preempt(world))
    else:
        world.act(world.stop_rental(holder), take_over(world))
    world.act(world.accept_rental(challenger), world.start_rental(challenger))
    event = one(world.act(world.extend_rental(challenger)), events.RentalExtended)
    assert event.deposit_added == ceil_div(rate * event.new_duration, HOUR) - ceil_div(rate * LONG, HOUR)


def test_compensation__no_least_charge__is_none(world: World) -> None:
    world.act(set_parameter(MarketParameter.MIN_CHARGE_SECONDS, 0))
    held(world)
    challenger = challenged(world, mint=USDC)
    assert world.rental(challenger).deposit == ceil_div(world.rental(challenger).rate * LONG, HOUR)
    seq = world.vault(USDC).seq
    world.run(GRACE)
    took_over = one(world.act(preempt(world)), events.RentalTookOver)
    assert (took_over.compensation, took_over.vault_seq, world.vault(USDC).seq) == (0, 0, seq)


@pytest.mark.parametrize(
    ("harm", "apart"), [(close, True), (close, False), (freeze, True), (freeze, False), (freeze_vault, True)]
)
def test_preempt__holder_who_cannot_be_paid__leaves_the_market_a_fee(world: World, harm: Harm, apart: bool) -> None:
    holder = held(world, mint=GPUM if apart else USDC)
    challenger = challenged(world, mint=USDC)
    due, before = compensation(world, challenger), world.vault(USDC)
    world.run(GRACE)
    harm(world, USDC)
    closed, took_over = world.act(preempt(world)).events
    assert isinstance(closed, events.RentalClosed) and isinstance(took_over, events.RentalTookOver)
    assert (took_over.compensation, took_over.compensation_kept) == (due, due)
    vault = world.vault(USDC)
    assert vault.fees_due == before.fees_due + due + (0 if apart else closed.fees)
    assert vault.total_compensated == 0
    assert world.exists(holder) is bool(closed.renter_owed) is not apart
    assert world.listing().current == challenger


@pytest.mark.parametrize("harm", [close, freeze])
def test_withdraw_challenger__holder_who_cannot_be_paid__leaves_the_market_a_fee(world: World, harm: Harm) -> None:
    held(world)
    challenger = challenged(world, mint=USDC)
    world.wait(1)
    due = compensation(world, challenger)
    harm(world, USDC)
    closed, withdrawn = world.act(withdraw_challenger(world, challenger)).events
    assert isinstance(closed, events.RentalClosed) and isinstance(withdrawn, events.ChallengerWithdrawn)
    assert (closed.compensation, closed.compensation_kept, withdrawn.compensation) == (due, due, 0)
    assert (world.vault(USDC).fees_due, world.vault(USDC).total_compensated) == (due, 0)
    assert world.tokens(TENANT, USDC) == WALLET_TOKENS - due


@pytest.mark.parametrize("short", [0, 1])
def test_withdraw_challenger__holder_without_rent__is_paid_only_what_lets_the_wallet_stand(
    world: World, short: int
) -> None:
    held(world)
    challenger = challenged(world, mint=WSOL)
    world.wait(1)
    due = compensation(world, challenger)
    lacking = max(world.cluster.rent(0) - due, 0)
    world.cluster.set_account(RENTER, Account(max(lacking - short, 0), b"", SYSTEM_PROGRAM))
    closed = one(world.act(withdraw_challenger(world, challenger)), events.RentalClosed)
    is_kept = short > 0 and lacking > 0
    assert closed.compensation_kept == (due if is_kept else 0)


def test_preempt__host_that_cannot_be_paid__compensates_once(world: World) -> None:
    """The order waits on; whether it is taken back or takes over later, it has nothing left to pay with."""
    held(world, mint=USDC)
    challenger = challenged(world, mint=GPUM)
    due = compensation(world, challenger)
    world.run(GRACE)
    put_tokens(world.cluster, USDC, HOST, world.tokens(HOST, USDC), frozen=True)
    closed, compensated = world.act(preempt(world)).events
    assert isinstance(closed, events.RentalClosed) and isinstance(compensated, events.HolderCompensated)
    assert (compensated.preempted, compensated.compensation, compensated.compensation_kept) == (closed.rental, due, 0)
    assert world.tokens(RENTER, GPUM) == WALLET_TOKENS + due
    with expect(errors.TakeOverDue):
        world.act(withdraw_challenger(world, challenger))
    world.wait(PROVISION_TIMEOUT + 1)
    left = one(world.act(withdraw_challenger(world, challenger, caller=KEEPER)), events.RentalClosed)
    assert (left.compensation, left.refunded) == (0, left.deposit)
    assert world.tokens(TENANT, GPUM) == WALLET_TOKENS - due
    assert world.vault(GPUM).total_compensated == due


def test_preempt__swapped_accounts__are_refused(world: World) -> None:
    held(world, mint=GPUM)
    challenged(world, mint=USDC)
    world.run(GRACE)
    second = put_tokens(world.cluster, USDC, RENTER, 0, at=address("renter's second account"))
    frozen = put_tokens(world.cluster, USDC, RENTER, 0, at=address("renter's frozen account"), frozen=True)
    sol, other = find_vault(WSOL, 0)[0], find_vault(GPUM, 1)[0]
    none = {"challenger_vault": None, "challenger_vault_token": None, "compensation_payout": None}
    for error, accounts in (
        (errors.WrongTokenOwner, {"compensation_payout": token_address(STRANGER, USDC)}),
        (errors.WrongTokenOwner, {"compensation_payout": token_address(TENANT, USDC)}),
        (errors.WrongMint, {"compensation_payout": token_address(RENTER, GPUM)}),
        (errors.NotAssociated, {"compensation_payout": second}),
        (errors.TokenAccountFrozen, {"compensation_payout": frozen}),
        (errors.InvalidTokenAccount, {"compensation_payout": address("nothing")}),
        (errors.WrongVault, {"compensation_payout": None}),
        (errors.WrongVault, {"challenger_vault": sol, "challenger_vault_token": token_address(sol, WSOL)}),
        (errors.WrongVault, {"challenger_vault": other, "challenger_vault_token": token_address(other, GPUM)}),
        (errors.WrongVault, {"challenger_vault_token": token_address(sol, WSOL)}),
        (errors.WrongVault, {"challenger_vault_token": None}),
        (errors.WrongVault, none),
        (errors.WrongVault, {"challenger_vault": None}),
    ):
        with expect(error):
            world.act(preempt(world, **accounts))
    world.act(preempt(world, caller=RENTER, compensation_payout=second))


def test_preempt__one_vault_and_a_payout_of_its_own__is_refused(world: World) -> None:
    held(world, mint=USDC)
    challenged(world, mint=USDC)
    world.run(GRACE)
    vault = find_vault(USDC, 0)[0]
    for accounts in (
        {"compensation_payout": token_address(RENTER, USDC)},
        {"challenger_vault_token": token_address(find_vault(GPUM, 0)[0], GPUM)},
    ):
        with expect(errors.WrongVault):
            world.act(preempt(world, **accounts))
    with expect_refusal():
        world.act(preempt(world, challenger_vault=vault, challenger_vault_token=token_address(vault, USDC)))
    world.act(preempt(world))


def test_withdraw_challenger__swapped_accounts__are_refused(world: World) -> None:
    held(world)
    challenger = challenged(world, mint=USDC)
    world.wait(1)
    elsewhere = held(world, listing=LISTINGS[1])
    second = put_tokens(world.cluster, USDC, RENTER, 0, at=address("renter's second account"))
    for error, accounts in (
        (errors.WrongHolder, {"holder": None, "holder_payout": None}),
        (errors.WrongHolder, {"holder": None}),
        (errors.WrongHolder, {"holder": elsewhere}),
        (errors.InvalidTokenAccount, {"holder_payout": None}),
        (errors.WrongTokenOwner, {"holder_payout": token_address(STRANGER, USDC)}),
        (errors.WrongMint, {"holder_payout": token_address(RENTER, GPUM)}),
        (errors.NotAssociated, {"holder_payout": second}),
        (errors.InvalidTokenAccount, {"holder_payout": address("nothing")}),
    ):
        with expect(error):
            world.act(withdraw_challenger(world, challenger, **accounts))
    world.act(withdraw_challenger(world, challenger))


def test_withdraw_challenger__idle_machine_and_a_holder__is_refused(world: World) -> None:
    holder = held(world)
    challenger = challenged(world)
    world.wait(1)
    elsewhere = held(world, listing=LISTINGS[1])
    world.act(world.stop_rental(holder))
    world.wait(world.market().offline_after)
    with expect(errors.WrongHolder):
        world.act(withdraw_challenger(world, challenger, holder=elsewhere, holder_payout=token_address(RENTER, GPUM)))
    world.act(withdraw_challenger(world, challenger))


def test_withdraw_challenger__sol_to_another_wallet__is_refused(world: World) -> None:
    held(world)
    challenger = challenged(world, mint=WSOL)
    world.wait(1)
    for payout in (STRANGER, token_address(RENTER, WSOL)):
        with expect(errors.WrongPayee):
            world.act(withdraw_challenger(world, challenger, holder_payout=payout))
