"""add_payment_mint: the authority lets orders be paid in an SPL Token mint. Invariant MKT-5."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import constants, errors, events, instructions
from anchor_client.generated.accounts.payment_mint import PaymentMint
from anchor_client.generated.pdas import find_payment_mint
from anchor_client.generated.types.oracle_kind import OracleKind
from anchor_client.generated.types.payment_mint_terms import PaymentMintTerms

from .harness.actors import AUTHORITY, GPUM, GUARDIAN, ORACLE, STRANGER, USDC
from .harness.cluster import START
from .harness.keys import address
from .harness.outcome import expect, expect_refusal
from .harness.terms import GPUM_TERMS, USDC_TERMS, WSOL_TERMS
from .harness.tokens import TOKEN_2022, put_mint
from .harness.world import World
from .test_initialize_market import initialize

NEW = address("new mint")
PLAIN = replace(USDC_TERMS, extra_fee_bps=0)
REFUSED_TERMS = [
    (errors.TermsNotForThisMint, {"subsidy_bps": 1}),
    (errors.TermsNotForThisMint, {"burn_bps": 1}),
    (errors.ParameterOutOfBounds, {"extra_fee_bps": constants.MAX_FEE_BPS + 1}),
    (errors.ParameterOutOfBounds, {"shards": 0}),
    (errors.ParameterOutOfBounds, {"shards": constants.MAX_SHARDS + 1}),
    (errors.PriceMissing, {"pinned_price": 0}),
    (errors.ParameterOutOfBounds, {"oracle_kind": OracleKind.POSTED, "max_age": 0}),
]
BOUNDARY_TERMS: list[dict[str, Any]] = [
    {"extra_fee_bps": constants.MAX_FEE_BPS},
    {"shards": 1},
    {"shards": constants.MAX_SHARDS},
    {"pinned_price": 1},
    {"pinned_price": 2**64 - 1},
    {"oracle_kind": OracleKind.POSTED, "max_age": 1, "pinned_price": 0},
]


def add(terms: PaymentMintTerms = PLAIN, mint: Pubkey = NEW, authority: Pubkey = AUTHORITY) -> Instruction:
    return instructions.add_payment_mint(authority=authority, mint=mint, terms=terms)


@pytest.mark.parametrize("decimals", [0, 6, 9, 18])
def test_add_payment_mint__pinned__is_open_at_that_price(world: World, decimals: int) -> None:
    put_mint(world.cluster, NEW, decimals)
    outcome = world.act(add())
    address_, bump = find_payment_mint(NEW)
    assert world.payment_mint(NEW) == PaymentMint(
        version=1,
        bump=bump,
        decimals=decimals,
        oracle_kind=OracleKind.PINNED,
        enabled=1,
        shards=1,
        freezable=1,
        reserved_flags=bytes(1),
        mint=NEW,
        oracle=PLAIN.oracle,
        price=PLAIN.pinned_price,
        price_at=START,
        seq=1,
        max_age=0,
        subsidy_bps=0,
        burn_bps=0,
        extra_fee_bps=0,
        max_confidence_bps=0,
        reserved=bytes(64),
        reserved_tail=bytes(20),
    )
    assert outcome.event(events.PaymentMintAdded) == events.PaymentMintAdded(
        payment_mint=address_,
        mint=NEW,
        decimals=decimals,
        terms=PLAIN,
        at=START,
        seq=1,
        freezable=True,
        mintable=True,
        supply=0,
    )
    assert outcome.lamports_gained(AUTHORITY) == -world.cluster.rent(PaymentMint.SIZE)


@pytest.mark.parametrize("freezable", [False, True])
def test_add_payment_mint__issuer_that_may_freeze__is_told(world: World, freezable: bool) -> None:
    put_mint(world.cluster, NEW, freezable=freezable)
    assert world.act(add()).event(events.PaymentMintAdded).freezable == freezable
    assert world.payment_mint(NEW).freezable == freezable


def test_add_payment_mint__tokens_there_are__are_told(world: World) -> None:
    put_mint(world.cluster, NEW, supply=2**64 - 1)
    assert world.act(add()).event(events.PaymentMintAdded).supply == 2**64 - 1


@pytest.mark.parametrize("mintable", [False, True])
def test_add_payment_mint__issuer_that_may_mint__is_told(world: World, mintable: bool) -> None:
    put_mint(world.cluster, NEW, mintable=mintable)
    assert world.act(add()).event(events.PaymentMintAdded).mintable == mintable


def test_add_payment_mint__posted__has_no_price_yet(world: World) -> None:
    put_mint(world.cluster, NEW)
    world.act(add(WSOL_TERMS))
    state = world.payment_mint(NEW)
    assert (state.price, state.price_at, state.oracle) == (0, 0, ORACLE)


def test_add_payment_mint__market_token__takes_the_largest_subsidy_and_burn(empty: World) -> None:
    empty.act(initialize())
    terms = replace(GPUM_TERMS, subsidy_bps=constants.MAX_SUBSIDY_BPS, burn_bps=constants.MAX_BURN_BPS)
    refused = [
        (errors.ParameterOutOfBounds, replace(terms, subsidy_bps=constants.MAX_SUBSIDY_BPS + 1)),
        (errors.ParameterOutOfBounds, replace(terms, burn_bps=constants.MAX_BURN_BPS + 1)),
        (errors.TermsNotForThisMint, replace(terms, extra_fee_bps=1)),
    ]
    for error, wrong in refused:
        with expect(error):
            empty.act(add(wrong, GPUM))
    empty.act(add(terms, GPUM))
    state = empty.payment_mint()
    assert (state.subsidy_bps, state.burn_bps) == (constants.MAX_SUBSIDY_BPS, constants.MAX_BURN_BPS)


@pytest.mark.parametrize(("error", "changes"), REFUSED_TERMS)
def test_add_payment_mint__terms_past_a_bound__are_refused(
    world: World, error: type[errors.ProgramError], changes: dict[str, Any]
) -> None:
    put_mint(world.cluster, NEW)
    with expect(error):
        world.act(add(replace(PLAIN, **changes)))


@pytest.mark.parametrize("changes", BOUNDARY_TERMS)
def test_add_payment_mint__terms_at_a_bound__are_taken(world: World, changes: dict[str, Any]) -> None:
    put_mint(world.cluster, NEW)
    terms = replace(PLAIN, **changes)
    assert world.act(add(terms)).event(events.PaymentMintAdded).terms == terms


def test_add_payment_mint__token_2022_mint__is_refused(world: World) -> None:
    put_mint(world.cluster, NEW, owner=TOKEN_2022)
    with expect(errors.Token2022Unsupported):
        world.act(add())


def test_add_payment_mint__no_mint__is_refused(world: World) -> None:
    with expect(errors.InvalidMint):
        world.act(add(mint=STRANGER))


def test_add_payment_mint__mint_of_another_program__is_refused(world: World) -> None:
    put_mint(world.cluster, NEW, owner=STRANGER)
    with expect(errors.InvalidMint):
        world.act(add())


@pytest.mark.parametrize("signer", [GUARDIAN, STRANGER])
def test_add_payment_mint__not_the_authority__is_refused(world: World, signer: Pubkey) -> None:
    put_mint(world.cluster, NEW)
    with expect(errors.Unauthorized):
        world.act(add(authority=signer))


def test_add_payment_mint__twice__is_refused(world: World) -> None:
    with expect_refusal():
        world.act(add(mint=USDC))


def test_add_payment_mint__prefunded_address__works(world: World) -> None:
    put_mint(world.cluster, NEW)
    world.cluster.set_account(find_payment_mint(NEW)[0], Account(5_000_000, b"", Pubkey.default()))
    outcome = world.act(add())
    assert outcome.lamports_gained(AUTHORITY) == 0
    assert world.payment_mint(NEW).mint == NEW
