"""Rules that the five endings share: whose accounts are paid, what a missing one blocks, and that an end is an end.

Invariants RNT-1, RNT-2.
"""

from __future__ import annotations

from typing import Any

import pytest
from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.system_program import TransferParams, transfer
from solders.token import ID as TOKEN_PROGRAM

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.pdas import find_renter_profile, find_vault

from .harness.actors import (
    GPUM,
    HOST,
    KEEPER,
    LISTING,
    LISTINGS,
    MINTS,
    RENTER,
    RIVAL,
    RIVAL_LISTING,
    STRANGER,
    TENANT,
    USDC,
    WSOL,
)
from .harness.endings import ENDINGS, PAYING, REFUNDING, Ending, each
from .harness.flows import opened
from .harness.keys import address
from .harness.market import seeded_world
from .harness.outcome import expect, expect_refusal
from .harness.tokens import TOKEN_2022, put_tokens, token_address
from .harness.world import World

TIP = 20_000


def remove(world: World, account: Pubkey) -> None:
    """Leaves nothing but a lamport where an account was."""
    world.cluster.set_account(account, Account(1, b"", SYSTEM_PROGRAM))


@each(ENDINGS)
@pytest.mark.parametrize("mint", MINTS)
def test_end_rental__any_ending__gives_back_the_whole_rent(world: World, ending: Ending, mint: Pubkey) -> None:
    rental = ending.prepare(world, mint=mint)
    outcome = world.act(ending.act(world, rental))
    assert not world.exists(rental)
    closed = outcome.event(events.RentalClosed)
    tips, refund = closed.tip_lamports, closed.refunded if mint == WSOL else 0
    if mint == WSOL and ending.caller == HOST:
        refund += closed.paid_now
    assert outcome.lamports_gained(rental) == -world.cluster.rent(Rental.SIZE) - TIP
    gained = outcome.lamports_gained(RENTER) + (
        outcome.lamports_gained(ending.caller) if ending.caller != RENTER else 0
    )
    assert gained == world.cluster.rent(Rental.SIZE) + TIP + refund
    assert tips in (0, TIP)
    vault = world.vault(mint)
    assert (vault.liabilities, vault.open_rentals) == (0, 0)


@each(ENDINGS)
def test_end_rental__ended__cannot_end_again(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    act = ending.act(world, rental)
    with expect_refusal():
        world.act(act, act)
    world.act(act)
    with expect_refusal():
        world.act(act)


@each(ENDINGS)
def test_end_rental__revived_in_the_same_transaction__stays_ended(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    act = ending.act(world, rental)
    gift = transfer(TransferParams(from_pubkey=STRANGER, to_pubkey=rental, lamports=10**9))
    with expect_refusal():
        world.act(act, gift, act)
    world.cluster.observers.clear()
    world.act(act, gift)
    account = world.cluster.account(rental)
    assert account is not None and (account.owner, account.data) == (SYSTEM_PROGRAM, b"")
    with expect_refusal():
        world.act(act)


@each(PAYING)
@pytest.mark.parametrize(
    ("error", "account"),
    [
        (errors.WrongTokenOwner, token_address(RIVAL, GPUM)),
        (errors.WrongTokenOwner, token_address(KEEPER, GPUM)),
        (errors.WrongMint, token_address(HOST, USDC)),
        (errors.InvalidTokenAccount, STRANGER),
    ],
)
def test_end_rental__payment_to_another__is_refused(
    world: World, ending: Ending, error: type[errors.ProgramError], account: Pubkey
) -> None:
    rental = ending.prepare(world)
    with expect(error):
        world.act(ending.act(world, rental, host_payout=account))


@each(REFUNDING)
@pytest.mark.parametrize(
    ("error", "account"),
    [
        (errors.WrongTokenOwner, token_address(TENANT, GPUM)),
        (errors.WrongTokenOwner, token_address(KEEPER, GPUM)),
        (errors.WrongMint, token_address(RENTER, USDC)),
        (errors.InvalidTokenAccount, STRANGER),
    ],
)
def test_end_rental__refund_to_another__is_refused(
    world: World, ending: Ending, error: type[errors.ProgramError], account: Pubkey
) -> None:
    rental = ending.prepare(world)
    with expect(error):
        world.act(ending.act(world, rental, renter_payout=account))


@each(ENDINGS)
def test_end_rental__token_2022_accounts__are_refused(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    host = put_tokens(world.cluster, GPUM, HOST, 0, at=address("host's newer"), program=TOKEN_2022)
    renter = put_tokens(world.cluster, GPUM, RENTER, 0, at=address("renter's newer"), program=TOKEN_2022)
    with expect(errors.InvalidTokenAccount):
        world.act(ending.act(world, rental, host_payout=host, renter_payout=renter))


@each(ENDINGS)
def test_end_rental__account_of_another_rental__is_refused(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    other_vault, usdc_vault = find_vault(GPUM, 1)[0], find_vault(USDC, 0)[0]
    cases: list[tuple[type[errors.ProgramError], dict[str, Any]]] = [
        (errors.WrongListing, {"listing": LISTINGS[1]}),
        (errors.WrongListing, {"listing": RIVAL_LISTING}),
        (errors.WrongRenter, {"renter": TENANT}),
        (errors.WrongRenter, {"renter": STRANGER}),
        (errors.WrongRenter, {"renter_profile": find_renter_profile(TENANT)[0]}),
        (errors.WrongVault, {"vault": other_vault, "vault_token": token_address(other_vault, GPUM)}),
        (errors.WrongVault, {"vault": usdc_vault, "vault_token": token_address(usdc_vault, USDC)}),
        (errors.WrongVault, {"vault_token": token_address(other_vault, GPUM)}),
    ]
    for error, accounts in cases:
        with expect(error):
            world.act(ending.act(world, rental, **accounts))


@each(PAYING)
def test_end_rental__burn_in_another_mint__is_refused(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    with expect(errors.WrongMint):
        world.act(ending.act(world, rental, mint=USDC))


@each(PAYING)
def test_end_rental__burn_without_a_mint__is_refused(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    with expect(errors.MintAccountMissing):
        world.act(ending.act(world, rental, mint=None))


@each(ENDINGS)
def test_end_rental__donation_to_the_vault__changes_no_amount(ending: Ending) -> None:
    plain, donated = seeded_world(), seeded_world()
    amounts = []
    for world in (plain, donated):
        rental = ending.prepare(world)
        if world is donated:
            _donate(world, 12_345)
        amounts.append(world.act(ending.act(world, rental)).event(events.RentalClosed))
    assert amounts[0] == amounts[1]


@each(ENDINGS)
def test_end_rental__listing__is_free_for_the_next_order_at_once(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    act = ending.act(world, rental)
    world.act(world.heartbeat(HOST, LISTINGS[1]))
    order = world.open_rental(TENANT, LISTING)
    if ending.name == "report_offline":
        world.act(act, world.heartbeat(), order)
    else:
        world.act(act, order)
    assert world.listing().current != rental


def test_end_rental__renter_without_lamports__receives_the_rent(world: World) -> None:
    rental = opened(world)
    world.wait(901)
    remove(world, RENTER)
    world.cluster.observers.clear()
    outcome = world.act(world.cancel_unstarted(rental))
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE)


def _donate(world: World, amount: int) -> None:
    vault = find_vault(GPUM, 0)[0]
    source, target = token_address(STRANGER, GPUM), token_address(vault, GPUM)
    metas = [
        AccountMeta(source, is_signer=False, is_writable=True),
        AccountMeta(target, is_signer=False, is_writable=True),
        AccountMeta(STRANGER, is_signer=True, is_writable=False),
    ]
    world.audit.books.vaults[vault].donated += amount
    world.act(Instruction(TOKEN_PROGRAM, b"\x03" + amount.to_bytes(8, "little"), metas))
