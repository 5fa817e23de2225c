"""settle_meter: anyone pays the host what nobody may dispute any more. Invariants MKT-1, RNT-3, CHG-1, CHG-3."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_vault

from .harness.actors import GPUM, HOST, MINTS, RIVAL, USDC
from .harness.charges import WINDOW, accept_usage, ended, metered, read, report_usage, reported, settle_meter
from .harness.outcome import expect
from .harness.tokens import put_tokens, token_address
from .harness.world import World


@pytest.mark.parametrize("mint", MINTS)
def test_settle_meter__after_the_window__pays_the_host(world: World, mint: Pubkey) -> None:
    meter = reported(world, metered(world, mint=mint))
    amount, vault, before = read(world, meter).pending, world.vault(mint), world.tokens(HOST, mint)
    world.wait(WINDOW)
    assert world.act(settle_meter(world, meter)).events == ()
    world.wait(1)
    event = world.act(settle_meter(world, meter)).event(events.MeterSettled)
    assert event == events.MeterSettled(
        meter=meter,
        rental=read(world, meter).rental,
        paid=amount,
        paid_total=amount,
        pending=0,
        at=world.now,
        seq=3,
        vault_seq=vault.seq + 1,
    )
    assert world.tokens(HOST, mint) == before + amount
    assert world.vault(mint).liabilities == vault.liabilities - amount


def test_settle_meter__again__changes_nothing(world: World) -> None:
    meter = reported(world, metered(world))
    world.act(accept_usage(world, meter), settle_meter(world, meter))
    before = world.cluster.accounts()
    assert world.act(settle_meter(world, meter)).events == ()
    assert {**world.cluster.accounts(), world.cluster.fee_payer: None} == {**before, world.cluster.fee_payer: None}


def test_settle_meter__while_more_is_pending__pays_only_what_is_accepted(world: World) -> None:
    meter = reported(world, metered(world))
    world.act(accept_usage(world, meter))
    accepted = read(world, meter).accepted
    world.act(report_usage(world, meter, 10**6))
    event = world.act(settle_meter(world, meter)).event(events.MeterSettled)
    assert (event.paid, event.pending) == (accepted, read(world, meter).pending)


def test_settle_meter__rental_over__still_pays(world: World) -> None:
    meter = ended(world, reported(world, metered(world)))
    world.wait(WINDOW + 1)
    assert world.act(settle_meter(world, meter)).event(events.MeterSettled).paid > 0


def test_settle_meter__account_of_another__is_refused(world: World) -> None:
    meter = reported(world, metered(world))
    world.wait(WINDOW + 1)
    frozen = put_tokens(world.cluster, GPUM, HOST, 0, at=Pubkey.new_unique(), frozen=True)
    other_vault, usdc_vault = find_vault(GPUM, 1)[0], find_vault(USDC, 0)[0]
    for error, accounts in (
        (errors.WrongTokenOwner, {"host_payout": token_address(RIVAL, GPUM)}),
        (errors.WrongMint, {"host_payout": token_address(HOST, USDC)}),
        (errors.TokenAccountFrozen, {"host_payout": frozen}),
        (errors.WrongVault, {"vault": other_vault, "vault_token": token_address(other_vault, GPUM)}),
        (errors.WrongVault, {"vault": usdc_vault, "vault_token": token_address(usdc_vault, USDC)}),
        (errors.WrongVault, {"vault_token": token_address(other_vault, GPUM)}),
    ):
        with expect(error):
            world.act(settle_meter(world, meter, **accounts))
