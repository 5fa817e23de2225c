"""open_meter: the renter escrows the most that charges may take, at the prices of that moment.

Invariants RNT-3, CHG-2.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.meter import Meter
from anchor_client.generated.pdas import find_meter, find_payment_mint, find_rental, find_vault
from anchor_client.generated.types.charges import Charges
from anchor_client.generated.types.pause_area import PauseArea

from .harness.actors import GPUM, HOST, LISTING, LISTINGS, MINTS, RENTER, STRANGER, TENANT, USDC
from .harness.changes import DECIMALS, PRICES, set_paused, set_terms
from .harness.charges import CAP, CHARGES, STORAGE_GB, WINDOW, open_meter, set_charges
from .harness.cluster import FIRST_NONCE
from .harness.flows import running
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.terms import HOUR
from .harness.tokens import put_tokens, token_address
from .harness.world import World


def rate(mint: Pubkey, usd: int) -> int:
    """Base units per 1000 units that cost `usd` micro-USD each, rounded up."""
    return -(-usd * 1_000 * 10 ** (6 + DECIMALS[mint]) // PRICES[mint])


@pytest.mark.parametrize("mint", MINTS)
def test_open_meter__renter__escrows_the_cap_at_the_prices_now(world: World, mint: Pubkey) -> None:
    world.act(set_charges())
    rental = running(world, mint=mint)
    vault, tokens = world.vault(mint), world.tokens(RENTER, mint)
    outcome = world.act(open_meter(world, rental))
    meter = find_meter(rental)[0]
    assert outcome.event(events.MeterOpened) == events.MeterOpened(
        meter=meter,
        rental=rental,
        renter=RENTER,
        listing=LISTING,
        authority=HOST,
        mint=mint,
        shard=0,
        cap=CAP,
        charges=CHARGES,
        bandwidth_rate=rate(mint, CHARGES.bandwidth_usd),
        storage_rate=rate(mint, CHARGES.storage_usd),
        storage_gb=STORAGE_GB,
        charge_window=WINDOW,
        at=world.now,
        seq=1,
        vault_seq=vault.seq + 1,
        paid_until=world.rental(rental).started_at + HOUR,
        rental_seq=world.rental(rental).seq,
    )
    assert world.rental(rental).has_meter
    state = world.read(Meter, meter)
    assert (state.rental, state.renter, state.authority, state.cap) == (rental, RENTER, HOST, CAP)
    assert world.tokens(RENTER, mint) == tokens - CAP
    assert world.vault(mint).liabilities == vault.liabilities + CAP
    assert outcome.lamports_gained(RENTER) == -world.cluster.rent(Meter.SIZE)


def test_open_meter__transaction_that_opens_the_rental__takes_both(world: World) -> None:
    world.act(set_charges())
    rental, vault = find_rental(RENTER, FIRST_NONCE)[0], find_vault(GPUM, 0)[0]
    act = instructions.open_meter(
        renter=RENTER,
        rental=rental,
        listing=LISTING,
        payment_mint=find_payment_mint(GPUM)[0],
        vault=vault,
        vault_token=token_address(vault, GPUM),
        renter_token=token_address(RENTER, GPUM),
        cap=CAP,
        storage_gb=0,
        agreed=CHARGES,
    )
    outcome = world.act(world.open_rental(), act)
    assert [type(event) for event in outcome.events] == [events.RentalOpened, events.MeterOpened]


def test_open_meter__price_later__changes_nothing(world: World) -> None:
    world.act(set_charges())
    rental = running(world, mint=USDC)
    world.act(open_meter(world, rental))
    before = world.read(Meter, find_meter(rental)[0])
    world.act(set_terms(USDC, pinned_price=PRICES[USDC] // 2), set_charges(charges=replace(CHARGES, storage_usd=9)))
    assert world.read(Meter, find_meter(rental)[0]) == before


@pytest.mark.parametrize(
    ("agreed", "taken"),
    [
        (CHARGES, True),
        (replace(CHARGES, bandwidth_usd=CHARGES.bandwidth_usd - 1), False),
        (replace(CHARGES, bandwidth_usd=CHARGES.bandwidth_usd + 1), True),
        (replace(CHARGES, storage_usd=CHARGES.storage_usd - 1), False),
        (replace(CHARGES, storage_usd=CHARGES.storage_usd + 1), True),
        (replace(CHARGES, bandwidth_free_gb=CHARGES.bandwidth_free_gb + 1), False),
        (replace(CHARGES, bandwidth_free_gb=CHARGES.bandwidth_free_gb - 1), True),
    ],
)
def test_open_meter__charges_above_what_was_agreed__are_refused(world: World, agreed: Charges, taken: bool) -> None:
    world.act(set_charges())
    rental = running(world)
    with nullcontext() if taken else expect(errors.ChargesAboveAgreed):
        world.act(open_meter(world, rental, agreed=agreed))


def test_open_meter__twice__is_refused(world: World) -> None:
    world.act(set_charges())
    rental = running(world)
    world.act(open_meter(world, rental))
    with expect_refusal():
        world.act(open_meter(world, rental))


def test_open_meter__listing_without_charges__is_refused(world: World) -> None:
    world.act(set_charges(charges=Charges(0, 50, 0)))
    with expect(errors.NoCharges):
        world.act(open_meter(world, running(world)))


def test_open_meter__no_cap__is_refused(world: World) -> None:
    world.act(set_charges())
    with expect(errors.ZeroAmount):
        world.act(open_meter(world, running(world), cap=0))


@pytest.mark.parametrize("late", [0, 1])
def test_open_meter__paid_time__must_not_be_over(world: World, late: int) -> None:
    world.act(set_charges())
    rental = running(world)
    world.wait(HOUR - 1 + late)
    with expect(errors.RentalExpired) if late else nullcontext():
        world.act(open_meter(world, rental))


def test_open_meter__ended_rental__is_refused(world: World) -> None:
    world.act(set_charges())
    rental = running(world)
    act = open_meter(world, rental)
    world.act(world.stop_rental(rental))
    with expect_refusal():
        world.act(act)


def test_open_meter__orders_paused__is_refused(world: World) -> None:
    world.act(set_charges(), set_paused(PauseArea.HOSTS))
    rental = running(world)
    world.act(set_paused(PauseArea.ORDERS))
    with expect(errors.Paused):
        world.act(open_meter(world, rental))


def test_open_meter__balance__must_cover_the_cap_exactly(world: World) -> None:
    world.act(set_charges())
    rental = running(world, mint=USDC)
    put_tokens(world.cluster, USDC, RENTER, CAP - 1)
    with expect(errors.InsufficientFunds):
        world.act(open_meter(world, rental))
    put_tokens(world.cluster, USDC, RENTER, CAP)
    world.act(open_meter(world, rental))
    assert world.tokens(RENTER, USDC) == 0 < WALLET_TOKENS


@pytest.mark.parametrize("signer", [TENANT, HOST, STRANGER])
def test_open_meter__not_the_renter__is_refused(world: World, signer: Pubkey) -> None:
    world.act(set_charges())
    with expect(errors.WrongRenter):
        act = open_meter(world, running(world), renter=signer, renter_token=token_address(signer, GPUM))
        world.act(act)


def test_open_meter__account_of_another__is_refused(world: World) -> None:
    world.act(set_charges())
    rental = running(world)
    other_vault = find_vault(GPUM, 1)[0]
    for error, accounts in (
        (errors.WrongListing, {"listing": LISTINGS[1]}),
        (errors.WrongMint, {"payment_mint": find_payment_mint(USDC)[0]}),
        (errors.WrongMint, {"renter_token": token_address(RENTER, USDC)}),
        (errors.WrongTokenOwner, {"renter_token": token_address(TENANT, GPUM)}),
        (errors.WrongVault, {"vault": other_vault, "vault_token": token_address(other_vault, GPUM)}),
        (errors.WrongVault, {"vault_token": token_address(other_vault, GPUM)}),
    ):
        with expect(error):
            world.act(open_meter(world, rental, **accounts))
