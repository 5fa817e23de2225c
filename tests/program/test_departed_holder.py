"""The host ends a holder's rental in front of an order that waits, which compensates the holder all the same.

Invariants SPT-8, SPT-9.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_vault
from anchor_client.generated.types.close_reason import CloseReason

from .harness.actors import GPUM, KEEPER, MINTS, RENTER, STRANGER, TENANT, USDC, WSOL
from .harness.audit.reasons import REFUSALS
from .harness.keys import address
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.reference import ceil_div
from .harness.spot import GRACE, LONG, challenged, compensation, held, queued, take_over, withdraw_challenger
from .harness.terms import HOUR
from .harness.tokens import put_tokens, token_address
from .harness.world import World
from .test_compensation import PROVISION_TIMEOUT, Harm, close, freeze, freeze_vault, one


def drop(world: World, holder: Pubkey, reason: CloseReason) -> None:
    """The host ends the holder's rental, as finished or by giving it up."""
    finishes = reason is CloseReason.FINISHED
    world.act(world.finish_rental(holder) if finishes else world.cancel_rental(holder, reason))


BY_HOST = pytest.mark.parametrize(
    "reason", [CloseReason.FINISHED, CloseReason.HOST_FAULT, CloseReason.HOST_MAINTENANCE]
)


@pytest.mark.parametrize("mint", MINTS)
@BY_HOST
@pytest.mark.parametrize("leaves", [True, False])
def test_attack__host_ends_the_holder_in_front_of_an_order__does_not_spare_it_the_compensation(
    world: World, mint: Pubkey, reason: CloseReason, leaves: bool
) -> None:
    """It would be the host's present to whoever waits. Invariants SPT-8, SPT-9."""
    holder = held(world, may_finish=True)
    challenger = challenged(world, mint=mint)
    due = compensation(world, challenger)
    world.run(1)
    drop(world, holder, reason)
    before = world.tokens(RENTER, mint)
    assert (world.listing().departed, world.listing().departed_renter) == (holder, RENTER)
    if leaves:
        with expect(errors.TakeOverDue):
            world.act(withdraw_challenger(world, challenger))
        world.wait(world.market().offline_after + 1)
        closed, withdrawn = world.act(withdraw_challenger(world, challenger)).events
        assert isinstance(closed, events.RentalClosed) and isinstance(withdrawn, events.ChallengerWithdrawn)
        assert (closed.compensation, closed.compensation_kept) == (due, 0)
        assert (withdrawn.holder, withdrawn.compensation, withdrawn.mint) == (holder, due, mint)
        assert world.tokens(TENANT, mint) == WALLET_TOKENS - due
    else:
        took_over = one(world.act(take_over(world)), events.RentalTookOver)
        assert (took_over.preempted, took_over.compensation, took_over.compensation_kept) == (holder, due, 0)
        assert took_over.vault_seq == world.vault(mint).seq
        order = world.rental(challenger)
        left = one(world.act(world.stop_rental(challenger)), events.RentalClosed)
        least = ceil_div(order.rate * order.min_charge, HOUR)
        assert (left.compensation, left.deposit - left.refunded) == (0, least)
    assert world.tokens(RENTER, mint) == before + due
    assert (world.listing().departed, world.listing().departed_renter) == (Pubkey.default(), Pubkey.default())
    assert world.vault(mint).total_compensated == due


@pytest.mark.parametrize("reason", sorted(REFUSALS))
def test_take_over__order_that_the_host_refused__is_compensated(world: World, reason: CloseReason) -> None:
    holder = queued(world)
    due = compensation(world, challenged(world, mint=USDC))
    drop(world, holder, reason)
    before = world.tokens(RENTER, USDC)
    assert one(world.act(take_over(world)), events.RentalTookOver).preempted == holder
    assert world.tokens(RENTER, USDC) == before + due


def test_take_over__paid_time_had_run_out__compensates_nobody(world: World) -> None:
    holder = held(world)
    world.run(LONG - 1)
    challenged(world, mint=USDC)
    world.run(1)
    world.act(world.finalize_rental(holder))
    assert one(world.act(take_over(world)), events.RentalTookOver).compensation == 0


def test_finish_rental__nobody_waits__leaves_nobody_to_compensate(world: World) -> None:
    holder = held(world, may_finish=True)
    world.run(1)
    world.act(world.finish_rental(holder))
    assert world.listing().departed == Pubkey.default()


def test_withdraw_challenger__waited_too_long_after_the_host_ended_the_holder__compensates_nobody(
    world: World,
) -> None:
    holder = held(world, may_finish=True)
    challenger = challenged(world, mint=USDC)
    world.run(1)
    world.act(world.finish_rental(holder))
    world.wait(GRACE + PROVISION_TIMEOUT + 1)
    closed = one(world.act(withdraw_challenger(world, challenger, caller=KEEPER)), events.RentalClosed)
    assert (closed.reason, closed.compensation) == (CloseReason.TAKE_OVER_TIMEOUT, 0)
    assert world.listing().departed == Pubkey.default()


@pytest.mark.parametrize("harm", [close, freeze, freeze_vault])
def test_take_over__departed_holder_who_cannot_be_paid__leaves_the_market_a_fee(world: World, harm: Harm) -> None:
    holder = held(world, may_finish=True)
    challenger = challenged(world, mint=USDC)
    due, fees = compensation(world, challenger), world.vault(USDC).fees_due
    world.run(1)
    world.act(world.finish_rental(holder))
    harm(world, USDC)
    took_over = one(world.act(take_over(world)), events.RentalTookOver)
    assert (took_over.compensation, took_over.compensation_kept) == (due, due)
    assert (world.vault(USDC).fees_due, world.vault(USDC).total_compensated) == (fees + due, 0)


def test_take_over__swapped_accounts__are_refused(world: World) -> None:
    holder = held(world, may_finish=True)
    challenger = challenged(world, mint=USDC)
    world.run(1)
    world.act(world.finish_rental(holder))
    second = put_tokens(world.cluster, USDC, RENTER, 0, at=address("renter's second account"))
    sol = find_vault(WSOL, 0)[0]
    for error, accounts in (
        (errors.WrongTokenOwner, {"compensation_payout": token_address(TENANT, USDC)}),
        (errors.WrongMint, {"compensation_payout": token_address(RENTER, GPUM)}),
        (errors.NotAssociated, {"compensation_payout": second}),
        (errors.InvalidTokenAccount, {"compensation_payout": address("nothing")}),
        (errors.WrongVault, {"compensation_payout": None}),
        (errors.WrongVault, {"challenger_vault": sol, "challenger_vault_token": token_address(sol, WSOL)}),
        (errors.WrongVault, {"challenger_vault_token": token_address(sol, WSOL)}),
        (errors.WrongVault, {"challenger_vault_token": None}),
        (errors.WrongVault, {"challenger_vault": None}),
    ):
        with expect(error):
            world.act(take_over(world, **accounts))
    world.wait(world.market().offline_after + 1)
    with expect(errors.InvalidTokenAccount):
        world.act(withdraw_challenger(world, challenger, holder_payout=None))
    with expect(errors.WrongTokenOwner):
        world.act(withdraw_challenger(world, challenger, holder_payout=token_address(STRANGER, USDC)))
    world.act(world.heartbeat(), take_over(world))
