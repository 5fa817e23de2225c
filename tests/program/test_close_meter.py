"""close_meter: after the last report the cap is divided in full and the rent returns.

Invariants RNT-3, RNT-24, CHG-1, CHG-4, CHG-7.
"""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.meter import Meter
from anchor_client.generated.pdas import find_vault

from .harness.actors import GPUM, HOST, LISTING, MINTS, RENTER, RIVAL, STRANGER, TENANT, USDC, WSOL
from .harness.charges import (
    CAP,
    FREE_MB,
    WINDOW,
    accept_usage,
    close_meter,
    dispute_usage,
    disputed,
    ended,
    metered,
    read,
    report_usage,
    reported,
    resolve_dispute,
    settle_meter,
)
from .harness.faults import FAULTS, Fault, close_tokens, drain, freeze_vault
from .harness.keys import address
from .harness.outcome import expect, expect_refusal
from .harness.terms import U64_MAX
from .harness.tokens import put_tokens, token_address
from .harness.world import World


@pytest.mark.parametrize("mint", MINTS)
def test_close_meter__everything_decided__divides_the_cap(world: World, mint: Pubkey) -> None:
    meter = reported(world, metered(world, mint=mint))
    amount, rental = read(world, meter).pending, read(world, meter).rental
    ended(world, meter)
    vault, host, renter = world.vault(mint), world.tokens(HOST, mint), world.tokens(RENTER, mint)
    world.wait(WINDOW + 1)
    outcome = world.act(close_meter(world, meter))
    assert outcome.event(events.MeterClosed) == events.MeterClosed(
        meter=meter,
        rental=rental,
        renter=RENTER,
        listing=LISTING,
        mint=mint,
        cap=CAP,
        paid=amount,
        paid_now=amount,
        refunded=CAP - amount,
        bandwidth_mb=FREE_MB + 1_000,
        storage_gb_hours=0,
        at=world.now,
        seq=4,
        vault_seq=vault.seq + 1,
        host_owed=0,
        renter_owed=0,
        kept=0,
    )
    assert world.tokens(HOST, mint) == host + amount
    assert world.tokens(RENTER, mint) == renter + CAP - amount
    assert world.vault(mint).liabilities == 0
    assert not world.exists(meter)
    refund = CAP - amount if mint == WSOL else 0
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Meter.SIZE) + refund


def frozen(world: World, payee: Pubkey, meter: Pubkey) -> None:
    """The meter is due to be closed, and one of its two payees' accounts is frozen."""
    reported(world, meter)
    ended(world, meter)
    world.wait(WINDOW + 1)
    put_tokens(world.cluster, USDC, payee, world.tokens(payee, USDC), frozen=True)


@pytest.mark.parametrize(("payee", "other"), [(HOST, RENTER), (RENTER, HOST)])
def test_close_meter__one_that_cannot_be_paid__does_not_hold_up_the_other(
    world: World, payee: Pubkey, other: Pubkey
) -> None:
    meter = metered(world, mint=USDC)
    frozen(world, payee, meter)
    before = world.tokens(other, USDC)
    event = world.act(close_meter(world, meter)).event(events.MeterClosed)
    assert (event.host_owed > 0, event.renter_owed > 0) == (payee == HOST, payee == RENTER)
    assert world.tokens(other, USDC) == before + event.paid_now + event.refunded > before
    assert world.vault(USDC).liabilities == event.host_owed + event.renter_owed
    with expect(errors.PayeeNotPayable):
        world.act(close_meter(world, meter))
    held = world.tokens(payee, USDC)
    put_tokens(world.cluster, USDC, payee, held)
    world.act(close_meter(world, meter))
    assert world.tokens(payee, USDC) == held + event.host_owed + event.renter_owed
    assert not world.exists(meter) and world.vault(USDC).liabilities == 0


def assert_becomes_a_fee(world: World, meter: Pubkey, mint: Pubkey) -> None:
    """The amount owed to the host stays in the vault as a fee; the renter has the rest of the cap and the rent."""
    vault, renter, lamports = world.vault(mint), world.tokens(RENTER, mint), world.cluster.rent(Meter.SIZE)
    state = read(world, meter)
    outcome = world.act(close_meter(world, meter))
    event = outcome.event(events.MeterClosed)
    assert (event.paid_now, event.host_owed, event.renter_owed) == (0, 0, 0)
    assert event.kept == state.accepted + state.pending - state.paid > 0
    assert event.cap == state.cap == event.paid + event.refunded + event.kept
    after = world.vault(mint)
    assert after.liabilities == vault.liabilities - event.refunded - event.kept
    assert (after.fees_due, after.total_paid) == (vault.fees_due + event.kept, vault.total_paid)
    assert world.tokens(RENTER, mint) == renter + event.refunded
    assert outcome.lamports_gained(RENTER) == lamports + (event.refunded if mint == WSOL else 0)
    assert not world.exists(meter)


@pytest.mark.parametrize("fault", FAULTS)
def test_close_meter__host_that_cannot_take_it__loses_it_after_a_second_window(world: World, fault: Fault) -> None:
    meter = ended(world, reported(world, metered(world, mint=USDC)))
    fault(world, HOST, USDC)
    world.wait(2 * WINDOW)
    early = world.cluster.rehearse(close_meter(world, meter)).event(events.MeterClosed)
    assert early.kept == 0 < early.host_owed
    world.wait(1)
    act = close_meter(world, meter)
    assert_becomes_a_fee(world, meter, USDC)
    with expect_refusal():
        world.act(act)


def test_close_meter__host_without_a_wallet__loses_sol_after_a_second_window(world: World) -> None:
    meter = metered(world, mint=WSOL)
    world.act(report_usage(world, meter, FREE_MB + 1))
    ended(world, meter)
    drain(world, HOST)
    world.wait(2 * WINDOW + 1)
    assert_becomes_a_fee(world, meter, WSOL)


def test_close_meter__host_that_can_take_it__never_loses_it(world: World) -> None:
    meter = ended(world, reported(world, metered(world, mint=USDC)))
    world.wait(100 * WINDOW)
    event = world.act(close_meter(world, meter)).event(events.MeterClosed)
    assert event.paid_now > 0 == event.kept


@pytest.mark.parametrize("late", [0, 1])
def test_close_meter__accepted_late__has_the_host_a_whole_window(world: World, late: int) -> None:
    meter = disputed(world, metered(world, mint=USDC))
    ended(world, meter)
    close_tokens(world, HOST, USDC)
    world.wait(5 * WINDOW)
    world.act(accept_usage(world, meter))
    world.wait(WINDOW + late)
    event = world.act(close_meter(world, meter)).event(events.MeterClosed)
    assert (event.kept > 0, event.host_owed > 0) == (bool(late), not late)


def test_close_meter__last_report__lapses_a_window_after_its_own(world: World) -> None:
    meter = ended(world, metered(world, mint=USDC))
    world.wait(WINDOW)
    reported(world, meter)
    close_tokens(world, HOST, USDC)
    world.wait(2 * WINDOW)
    assert world.cluster.rehearse(close_meter(world, meter)).event(events.MeterClosed).kept == 0
    world.wait(1)
    assert_becomes_a_fee(world, meter, USDC)


def test_close_meter__frozen_vault__takes_nothing_from_the_host(world: World) -> None:
    meter = ended(world, reported(world, metered(world, mint=USDC)))
    close_tokens(world, HOST, USDC)
    freeze_vault(world, USDC)
    world.wait(5 * WINDOW)
    with expect(errors.PayeeNotPayable):
        world.act(close_meter(world, meter))
    put_tokens(world.cluster, USDC, HOST, 0)
    freeze_vault(world, USDC, frozen=False)
    event = world.act(close_meter(world, meter)).event(events.MeterClosed)
    assert world.tokens(HOST, USDC) == event.paid_now > 0 == event.kept


def test_close_meter__neither_can_be_paid__keeps_the_hosts_and_stays_for_the_renter(world: World) -> None:
    meter = ended(world, reported(world, metered(world, mint=USDC)))
    close_tokens(world, HOST, USDC)
    held = world.tokens(RENTER, USDC)
    put_tokens(world.cluster, USDC, RENTER, held, frozen=True)
    world.wait(2 * WINDOW + 1)
    first = world.act(close_meter(world, meter)).event(events.MeterClosed)
    assert first.kept > 0 == first.host_owed and first.renter_owed == CAP - first.kept
    assert world.vault(USDC).liabilities == first.renter_owed == read(world, meter).cap
    put_tokens(world.cluster, USDC, HOST, 0)
    with expect(errors.PayeeNotPayable):
        world.act(close_meter(world, meter))
    put_tokens(world.cluster, USDC, RENTER, held)
    second = world.act(close_meter(world, meter)).event(events.MeterClosed)
    assert (second.cap, second.refunded, second.paid, second.kept) == (CAP - first.kept, CAP - first.kept, 0, 0)
    assert world.tokens(HOST, USDC) == 0 == world.vault(USDC).liabilities


def test_attack__account_that_takes_nothing__is_no_fault_of_a_payable_host(world: World) -> None:
    meter = ended(world, reported(world, metered(world, mint=USDC)))
    close_tokens(world, TENANT, USDC)
    frozen = put_tokens(world.cluster, USDC, HOST, 0, at=address("a frozen account of the host"), frozen=True)
    world.wait(3 * WINDOW)
    for account in (frozen, token_address(RIVAL, USDC), token_address(TENANT, USDC), STRANGER):
        with expect_refusal():
            world.act(close_meter(world, meter, host_payout=account))
    assert world.act(close_meter(world, meter)).event(events.MeterClosed).paid_now > 0


def test_close_meter__after_settling__pays_nothing_twice(world: World) -> None:
    meter = reported(world, metered(world))
    world.act(accept_usage(world, meter), settle_meter(world, meter))
    paid = read(world, meter).paid
    ended(world, meter)
    world.wait(WINDOW + 1)
    event = world.act(close_meter(world, meter)).event(events.MeterClosed)
    assert (event.paid, event.paid_now, event.refunded) == (paid, 0, CAP - paid)


def test_close_meter__whole_cap_paid__refunds_nothing(world: World) -> None:
    meter = metered(world)
    world.act(report_usage(world, meter, U64_MAX))
    world.act(accept_usage(world, meter), settle_meter(world, meter))
    ended(world, meter)
    world.wait(WINDOW + 1)
    event = world.act(close_meter(world, meter)).event(events.MeterClosed)
    assert (event.paid, event.paid_now, event.refunded) == (CAP, 0, 0)


@pytest.mark.parametrize("late", [0, 1])
def test_close_meter__nothing_reported__waits_for_the_last_report(world: World, late: int) -> None:
    meter = ended(world, metered(world))
    world.wait(WINDOW + late)
    with nullcontext() if late else expect(errors.MeterRunning):
        event = world.act(close_meter(world, meter)).event(events.MeterClosed)
        assert (event.paid, event.refunded) == (0, CAP)


@pytest.mark.parametrize("late", [0, 1])
def test_close_meter__last_report__has_its_window(world: World, late: int) -> None:
    meter = ended(world, metered(world))
    world.wait(WINDOW)
    reported(world, meter)
    world.wait(WINDOW + late)
    with nullcontext() if late else expect(errors.UsageUndecided):
        world.act(close_meter(world, meter))


def test_close_meter__dispute__must_be_resolved_first(world: World) -> None:
    meter = ended(world, metered(world))
    world.wait(WINDOW)
    reported(world, meter)
    world.wait(WINDOW)
    world.act(dispute_usage(world, meter))
    world.wait(WINDOW + 1)
    with expect(errors.UsageUndecided):
        world.act(close_meter(world, meter))
    closed = world.act(resolve_dispute(meter), close_meter(world, meter)).events[1]
    assert isinstance(closed, events.MeterClosed) and closed.refunded == CAP


def test_close_meter__rental_running_or_end_not_noted__is_refused(world: World) -> None:
    meter = metered(world)
    world.wait(10 * WINDOW)
    with expect(errors.MeterRunning):
        world.act(close_meter(world, meter))
    world.act(world.finalize_rental(read(world, meter).rental))
    with expect(errors.MeterRunning):
        world.act(close_meter(world, meter))


def test_close_meter__closed__cannot_close_again(world: World) -> None:
    meter = ended(world, metered(world))
    world.wait(WINDOW + 1)
    act = close_meter(world, meter)
    with expect_refusal():
        world.act(act, act)
    world.act(act)
    with expect_refusal():
        world.act(act)


def test_close_meter__account_of_another__is_refused(world: World) -> None:
    meter = ended(world, reported(world, metered(world)))
    world.wait(WINDOW + 1)
    other_vault, usdc_vault = find_vault(GPUM, 1)[0], find_vault(USDC, 0)[0]
    for error, accounts in (
        (errors.WrongRenter, {"renter": TENANT}),
        (errors.WrongTokenOwner, {"host_payout": token_address(TENANT, GPUM)}),
        (errors.WrongTokenOwner, {"renter_payout": token_address(STRANGER, GPUM)}),
        (errors.WrongMint, {"renter_payout": token_address(RENTER, USDC)}),
        (errors.WrongVault, {"vault": other_vault, "vault_token": token_address(other_vault, GPUM)}),
        (errors.WrongVault, {"vault": usdc_vault, "vault_token": token_address(usdc_vault, USDC)}),
        (errors.WrongVault, {"vault_token": token_address(other_vault, GPUM)}),
    ):
        with expect(error):
            world.act(close_meter(world, meter, **accounts))
