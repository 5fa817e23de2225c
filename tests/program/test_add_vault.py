"""add_vault: anyone adds a shard within the mint's shards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.vault import Vault
from anchor_client.generated.pdas import find_payment_mint, find_vault

from .harness.actors import AUTHORITY, GPUM, STRANGER, USDC, WSOL
from .harness.cluster import START
from .harness.keys import address
from .harness.outcome import expect, expect_refusal
from .harness.terms import USDC_TERMS
from .harness.tokens import TOKEN_2022, put_tokens, token_address
from .harness.world import World

VAULT = find_vault(USDC, 1)[0]


def add(shard: int = 1, mint: Pubkey = USDC, **accounts: Any) -> Instruction:
    vault = find_vault(mint, shard)[0]
    given = {"caller": STRANGER, "mint": mint, "vault_token": token_address(vault, mint), **accounts}
    return instructions.add_vault(**given, shard=shard)


@pytest.fixture
def sharded(world: World) -> World:
    """USDC may have three vaults; the second's token account exists."""
    terms = replace(USDC_TERMS, shards=3)
    world.act(
        instructions.update_payment_mint(authority=AUTHORITY, payment_mint=find_payment_mint(USDC)[0], terms=terms)
    )
    put_tokens(world.cluster, USDC, VAULT, 0)
    return world


def test_add_vault__anyone__creates_an_empty_ledger(sharded: World) -> None:
    outcome = sharded.act(add())
    token_account = token_address(VAULT, USDC)
    numbers = [
        "open_rentals",
        "liabilities",
        "fees_due",
        "stakers_due",
        "subsidy_pool",
        "total_deposited",
        "total_funded",
        "total_paid",
        "total_burned",
        "total_refunded",
        "total_swept",
        "total_stakers",
        "total_compensated",
        "total_withdrawn",
        "treasury_due",
        "subsidy_drawn",
        "subsidy_day",
    ]
    assert sharded.vault(USDC, 1) == Vault(
        version=1,
        bump=find_vault(USDC, 1)[1],
        shard=1,
        reserved_shard=bytes(1),
        reserved_flags=bytes(2),
        mint=USDC,
        token_account=token_account,
        seq=1,
        **dict.fromkeys(numbers, 0),
    )
    assert outcome.event(events.VaultAdded) == events.VaultAdded(
        vault=VAULT, mint=USDC, shard=1, token_account=token_account, at=START, seq=1
    )
    assert outcome.lamports_gained(STRANGER) == -sharded.cluster.rent(Vault.SIZE)


def test_add_vault__new_shard__takes_rentals(sharded: World) -> None:
    sharded.act(add())
    sharded.act(sharded.open_rental(mint=USDC, shard=1))
    assert (sharded.vault(USDC, 1).open_rentals, sharded.vault(USDC, 0).open_rentals) == (1, 0)


def test_add_vault__last_shard__is_allowed(sharded: World) -> None:
    put_tokens(sharded.cluster, USDC, find_vault(USDC, 2)[0], 0)
    sharded.act(add(2))


@pytest.mark.parametrize("shard", [3, 255])
def test_add_vault__past_the_last_shard__is_refused(sharded: World, shard: int) -> None:
    put_tokens(sharded.cluster, USDC, find_vault(USDC, shard)[0], 0)
    with expect(errors.ShardOutOfRange):
        sharded.act(add(shard))


def test_add_vault__tokens_in_the_account__are_a_donation(sharded: World) -> None:
    put_tokens(sharded.cluster, USDC, VAULT, 5)
    sharded.cluster.observers.clear()
    sharded.act(add())
    assert sharded.vault(USDC, 1).liabilities == sharded.vault(USDC, 1).total_deposited == 0


def test_add_vault__token_account_elsewhere__is_refused(sharded: World) -> None:
    elsewhere = put_tokens(sharded.cluster, USDC, VAULT, 0, at=address("elsewhere"))
    with expect(errors.InvalidTokenAccount):
        sharded.act(add(vault_token=elsewhere))


def test_add_vault__no_token_account__is_refused(sharded: World) -> None:
    sharded.cluster.set_account(token_address(VAULT, USDC), Account(1, b"", Pubkey.default()))
    with expect(errors.InvalidTokenAccount):
        sharded.act(add())


def test_add_vault__token_2022_account__is_refused(sharded: World) -> None:
    put_tokens(sharded.cluster, USDC, VAULT, 0, program=TOKEN_2022)
    with expect(errors.InvalidTokenAccount):
        sharded.act(add())


def test_add_vault__associated_account_of_another_mint__is_refused(sharded: World) -> None:
    put_tokens(sharded.cluster, GPUM, VAULT, 0, at=token_address(VAULT, USDC))
    with expect(errors.WrongMint):
        sharded.act(add())


def test_add_vault__associated_account_of_another_owner__is_refused(sharded: World) -> None:
    put_tokens(sharded.cluster, USDC, STRANGER, 0, at=token_address(VAULT, USDC))
    with expect(errors.WrongTokenOwner):
        sharded.act(add())


def test_add_vault__frozen_token_account__is_refused(sharded: World) -> None:
    put_tokens(sharded.cluster, USDC, VAULT, 0, frozen=True)
    with expect(errors.TokenAccountFrozen):
        sharded.act(add())


def test_add_vault__payment_mint_of_another_mint__is_refused(sharded: World) -> None:
    with expect_refusal():
        sharded.act(add(payment_mint=find_payment_mint(WSOL)[0]))


def test_add_vault__twice__is_refused(sharded: World) -> None:
    with expect_refusal():
        sharded.act(add(0))


def test_add_vault__prefunded_address__works(sharded: World) -> None:
    sharded.cluster.set_account(VAULT, Account(1_000, b"", Pubkey.default()))
    outcome = sharded.act(add())
    assert outcome.lamports_gained(STRANGER) == 1_000 - sharded.cluster.rent(Vault.SIZE)
