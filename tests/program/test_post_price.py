"""post_price: the mint's oracle key posts what a whole token is worth. Invariant RNT-5."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_payment_mint

from .harness.actors import AUTHORITY, STRANGER, USDC, WSOL
from .harness.changes import post_price
from .harness.cluster import START
from .harness.outcome import expect
from .harness.terms import PRICE_MAX_AGE, U64_MAX, WSOL_PRICE
from .harness.world import World


@pytest.mark.parametrize("price", [1, 200_000_000_000_000, U64_MAX])
def test_post_price__oracle__is_the_price_from_now_on(world: World, price: int) -> None:
    world.wait(60)
    seq = world.payment_mint(WSOL).seq
    event = world.act(post_price(price)).event(events.PricePosted)
    assert event == events.PricePosted(
        payment_mint=find_payment_mint(WSOL)[0], mint=WSOL, old=WSOL_PRICE, new=price, at=START + 60, seq=seq + 1
    )
    assert (world.payment_mint(WSOL).price, world.payment_mint(WSOL).price_at) == (price, START + 60)


def test_post_price__zero__is_refused(world: World) -> None:
    with expect(errors.PriceMissing):
        world.act(post_price(0))


@pytest.mark.parametrize("signer", [AUTHORITY, STRANGER])
def test_post_price__not_the_oracle__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.WrongOracle):
        world.act(post_price(1, oracle=signer))


def test_post_price__pinned_mint__is_refused(world: World) -> None:
    with expect(errors.OracleNotPosted):
        world.act(post_price(1, mint=USDC))


def test_post_price__at_its_maximum_age__still_opens(world: World) -> None:
    world.run(PRICE_MAX_AGE)
    world.act(world.open_rental(mint=WSOL))


def test_post_price__older_than_its_maximum_age__opens_nothing(world: World) -> None:
    world.run(PRICE_MAX_AGE + 1)
    with expect(errors.PriceStale):
        world.act(world.open_rental(mint=WSOL))
    world.act(post_price(WSOL_PRICE))
    world.act(world.open_rental(mint=WSOL))
