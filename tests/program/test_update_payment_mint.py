"""update_payment_mint: new terms for new orders. Invariants MKT-5, RNT-6."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import constants, errors, events
from anchor_client.generated.pdas import find_payment_mint
from anchor_client.generated.types.oracle_kind import OracleKind
from anchor_client.generated.types.payment_mint_terms import PaymentMintTerms

from .harness.actors import GPUM, GUARDIAN, LISTINGS, MINTS, ORACLE, STRANGER, USDC, WSOL
from .harness.changes import TERMS, set_terms
from .harness.cluster import START
from .harness.flows import running
from .harness.outcome import expect
from .harness.terms import HOUR, WSOL_PRICE
from .harness.world import World


@pytest.mark.parametrize("mint", MINTS)
def test_update_payment_mint__authority__changes_the_terms(world: World, mint: Pubkey) -> None:
    seq = world.payment_mint(mint).seq
    new: PaymentMintTerms = replace(TERMS[mint], enabled=False, shards=5)
    event = world.act(set_terms(mint, enabled=False, shards=5)).event(events.PaymentMintUpdated)
    assert event == events.PaymentMintUpdated(
        payment_mint=find_payment_mint(mint)[0], old=TERMS[mint], new=new, at=START, seq=seq + 1
    )
    state = world.payment_mint(mint)
    assert (state.enabled, state.shards) == (0, 5)


def test_update_payment_mint__same_oracle__keeps_the_posted_price(world: World) -> None:
    world.act(set_terms(WSOL, max_age=1))
    assert world.payment_mint(WSOL).price == WSOL_PRICE


def test_update_payment_mint__another_oracle__starts_without_a_price(world: World) -> None:
    world.act(set_terms(WSOL, oracle=STRANGER))
    assert (world.payment_mint(WSOL).price, world.payment_mint(WSOL).price_at) == (0, 0)
    with expect(errors.PriceMissing):
        world.act(world.open_rental(mint=WSOL))


def test_update_payment_mint__pinned_to_posted__starts_without_a_price(world: World) -> None:
    world.act(set_terms(USDC, oracle_kind=OracleKind.POSTED, oracle=ORACLE, max_age=60))
    assert world.payment_mint(USDC).price == 0


def test_update_payment_mint__posted_to_pinned__takes_the_price(world: World) -> None:
    world.wait(100)
    world.act(set_terms(WSOL, oracle_kind=OracleKind.PINNED, pinned_price=77))
    assert (world.payment_mint(WSOL).price, world.payment_mint(WSOL).price_at) == (77, START + 100)


def test_update_payment_mint__disabled__stops_orders_and_extensions_only(world: World) -> None:
    rental = running(world, mint=USDC)
    world.act(set_terms(USDC, enabled=False))
    with expect(errors.MintDisabled):
        world.act(world.open_rental(listing=LISTINGS[1], mint=USDC))
    with expect(errors.MintDisabled):
        world.act(world.extend_rental(rental))
    world.run(HOUR)
    world.act(world.finalize_rental(rental))


@pytest.mark.parametrize(
    ("mint", "error", "changes"),
    [
        (GPUM, errors.ParameterOutOfBounds, {"subsidy_bps": constants.MAX_SUBSIDY_BPS + 1}),
        (GPUM, errors.ParameterOutOfBounds, {"burn_bps": constants.MAX_BURN_BPS + 1}),
        (GPUM, errors.TermsNotForThisMint, {"extra_fee_bps": 1}),
        (USDC, errors.TermsNotForThisMint, {"subsidy_bps": 1}),
        (USDC, errors.TermsNotForThisMint, {"burn_bps": 1}),
        (USDC, errors.ParameterOutOfBounds, {"extra_fee_bps": constants.MAX_FEE_BPS + 1}),
        (GPUM, errors.ParameterOutOfBounds, {"shards": 1}),
        (GPUM, errors.ParameterOutOfBounds, {"shards": constants.MAX_SHARDS + 1}),
        (USDC, errors.PriceMissing, {"pinned_price": 0}),
        (WSOL, errors.ParameterOutOfBounds, {"max_age": 0}),
    ],
)
def test_update_payment_mint__terms_past_a_bound__are_refused(
    world: World, mint: Pubkey, error: type[errors.ProgramError], changes: dict[str, Any]
) -> None:
    with expect(error):
        world.act(set_terms(mint, **changes))


@pytest.mark.parametrize("signer", [GUARDIAN, ORACLE, STRANGER])
def test_update_payment_mint__not_the_authority__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.Unauthorized):
        world.act(set_terms(USDC, authority=signer))
