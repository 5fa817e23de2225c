"""withdraw_unreserved: the authority takes what nobody is owed out of a vault, and never more.

Invariants MKT-1, MKT-14.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_vault
from anchor_client.rules.vault import held

from .harness.actors import AUTHORITY, GPUM, GUARDIAN, HOST, LISTINGS, MINTS, RENTER, STRANGER, TENANT, TREASURY, USDC
from .harness.changes import withdraw_unreserved
from .harness.flows import finished, requested, running
from .harness.outcome import expect, expect_refusal
from .harness.terms import HOUR, SUBSIDY_FUNDED
from .harness.tokens import put_tokens, token_address
from .harness.world import World

GIFT = 1_234


def given(world: World, mint: Pubkey = GPUM) -> World:
    """Somebody has sent tokens to the vault directly."""
    vault = find_vault(mint, 0)[0]
    put_tokens(world.cluster, mint, vault, world.tokens(vault, mint) + GIFT)
    world.audit.books.vaults[vault].donated += GIFT
    return world


def test_withdraw_unreserved__pool__leaves_for_the_authority(world: World) -> None:
    before, seq = world.tokens(AUTHORITY), world.vault().seq
    event = world.act(withdraw_unreserved(SUBSIDY_FUNDED)).event(events.UnreservedWithdrawn)
    assert event == events.UnreservedWithdrawn(
        vault=find_vault(GPUM, 0)[0],
        mint=GPUM,
        subsidy=SUBSIDY_FUNDED,
        surplus=0,
        by=AUTHORITY,
        at=world.now,
        vault_seq=seq + 1,
    )
    assert (world.vault().subsidy_pool, world.vault().total_withdrawn) == (0, SUBSIDY_FUNDED)
    assert world.tokens(AUTHORITY) == before + SUBSIDY_FUNDED


@pytest.mark.parametrize("mint", MINTS)
def test_withdraw_unreserved__sent_to_the_vault__leaves_first(world: World, mint: Pubkey) -> None:
    given(world, mint)
    event = world.act(withdraw_unreserved(GIFT - 1, mint)).event(events.UnreservedWithdrawn)
    assert (event.surplus, event.subsidy) == (GIFT - 1, 0)
    if mint == GPUM:
        event = world.act(withdraw_unreserved(5)).event(events.UnreservedWithdrawn)
        assert (event.surplus, event.subsidy) == (1, 4)
    else:
        event = world.act(withdraw_unreserved(2, mint)).event(events.UnreservedWithdrawn)
        assert (event.surplus, event.subsidy) == (1, 0)
        with expect(errors.SubsidyPoolTooSmall):
            world.act(withdraw_unreserved(2, mint))


def test_withdraw_unreserved__more_than_nobody_is_owed__is_what_nobody_is_owed(world: World) -> None:
    """Running rentals, requests, refunds and payouts that wait, holdbacks, fees and the stakers' share all stay."""
    running(world)
    requested(world)
    finished(world, TENANT, listing=LISTINGS[1])
    vault = world.vault()
    owed = held(vault) - vault.subsidy_pool
    assert vault.liabilities > 0
    event = world.act(withdraw_unreserved(vault.subsidy_pool + 1)).event(events.UnreservedWithdrawn)
    assert (event.surplus, event.subsidy) == (0, vault.subsidy_pool)
    assert world.tokens(find_vault(GPUM, 0)[0]) == owed
    with expect(errors.SubsidyPoolTooSmall):
        world.act(withdraw_unreserved(1))


@pytest.mark.parametrize("payee", [HOST, RENTER])
def test_withdraw_unreserved__claims_that_wait__stay(world: World, payee: Pubkey) -> None:
    rental = running(world, mint=USDC)
    world.run(HOUR // 2)
    put_tokens(world.cluster, USDC, payee, world.tokens(payee, USDC), frozen=True)
    world.act(world.stop_rental(rental))
    assert world.vault(USDC).liabilities > 0
    with expect(errors.SubsidyPoolTooSmall):
        world.act(withdraw_unreserved(1, USDC))


def test_withdraw_unreserved__fees_and_what_is_divided_of_them__stay(world: World) -> None:
    rental = running(world, mint=USDC)
    world.run(HOUR)
    world.act(world.finalize_rental(rental))
    assert world.vault(USDC).fees_due > 0
    with expect(errors.SubsidyPoolTooSmall):
        world.act(withdraw_unreserved(1, USDC))
    put_tokens(world.cluster, USDC, TREASURY, 0, frozen=True)
    world.act(world.sweep_fees(USDC))
    assert world.vault(USDC).stakers_due > 0 < world.vault(USDC).treasury_due
    with expect(errors.SubsidyPoolTooSmall):
        world.act(withdraw_unreserved(1, USDC))


def test_withdraw_unreserved__nothing__is_refused(world: World) -> None:
    with expect(errors.ZeroAmount):
        world.act(withdraw_unreserved(0))


@pytest.mark.parametrize("signer", [GUARDIAN, TREASURY, HOST, STRANGER])
def test_withdraw_unreserved__not_the_authority__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.Unauthorized):
        world.act(withdraw_unreserved(1, authority=signer))


def test_withdraw_unreserved__into_another_wallets_account__is_refused(world: World) -> None:
    with expect(errors.WrongTokenOwner):
        world.act(withdraw_unreserved(1, authority_token=token_address(STRANGER, GPUM)))


def test_withdraw_unreserved__out_of_another_vaults_account__is_refused(world: World) -> None:
    with expect_refusal():
        world.act(withdraw_unreserved(1, vault_token=token_address(find_vault(GPUM, 1)[0], GPUM)))
