"""post_price: the mint's oracle key posts what a whole token is worth, and moves it by bounded steps.

Invariants MKT-9, RNT-5.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_payment_mint
from anchor_client.generated.types.market_parameter import MarketParameter

from .harness.actors import AUTHORITY, STRANGER, USDC, WSOL
from .harness.changes import post_price, set_parameter, set_terms
from .harness.cluster import START
from .harness.outcome import expect
from .harness.terms import PRICE_MAX_AGE, U64_MAX, WSOL_PRICE
from .harness.world import World

STEP = WSOL_PRICE * 500 // 10_000
INTERVAL = 60


@pytest.mark.parametrize("price", [WSOL_PRICE - STEP, WSOL_PRICE, WSOL_PRICE + 1, WSOL_PRICE + STEP])
def test_post_price__oracle__is_the_price_from_now_on(world: World, price: int) -> None:
    world.wait(60)
    seq = world.payment_mint(WSOL).seq
    event = world.act(post_price(price)).event(events.PricePosted)
    assert event == events.PricePosted(
        payment_mint=find_payment_mint(WSOL)[0], mint=WSOL, old=WSOL_PRICE, new=price, at=START + 60, seq=seq + 1
    )
    assert (world.payment_mint(WSOL).price, world.payment_mint(WSOL).price_at) == (price, START + 60)


def test_post_price__stolen_key__cannot_move_the_price_by_much(world: World) -> None:
    """Posts a tenth of the price and rents at it, then tries to walk there in one transaction."""
    world.wait(INTERVAL)
    with expect(errors.PriceStepTooLarge):
        world.act(post_price(WSOL_PRICE // 10), world.open_rental(mint=WSOL))
    steps = [WSOL_PRICE * (10_000 - 400 * number) // 10_000 for number in range(1, 4)]
    with expect(errors.PostTooSoon):
        world.act(*(post_price(price) for price in steps))
    assert world.payment_mint(WSOL).price == WSOL_PRICE


@pytest.mark.parametrize("direction", [-1, 1])
def test_post_price__furthest_step__is_exact(world: World, direction: int) -> None:
    world.wait(INTERVAL)
    with expect(errors.PriceStepTooLarge):
        world.act(post_price(WSOL_PRICE + direction * (STEP + 1)))
    world.act(post_price(WSOL_PRICE + direction * STEP))


def test_post_price__interval__is_waited_for_before_the_price_moves(world: World) -> None:
    world.wait(INTERVAL - 1)
    with expect(errors.PostTooSoon):
        world.act(post_price(WSOL_PRICE + 1))
    world.wait(1)
    world.act(post_price(WSOL_PRICE + 1))


def test_post_price__same_price__is_fresh_at_any_time_and_begins_the_interval_anew(world: World) -> None:
    world.wait(INTERVAL - 1)
    world.act(post_price(WSOL_PRICE))
    assert world.payment_mint(WSOL).price_at == world.now
    world.wait(1)
    with expect(errors.PostTooSoon):
        world.act(post_price(WSOL_PRICE + 1))


@pytest.mark.parametrize("price", [1, U64_MAX])
def test_post_price__first_of_an_oracle__may_be_anything(world: World, price: int) -> None:
    world.act(set_terms(WSOL, oracle=STRANGER), post_price(price, oracle=STRANGER))
    assert world.payment_mint(WSOL).price == price


def test_post_price__smallest_price__still_moves(world: World) -> None:
    world.act(set_terms(WSOL, oracle=STRANGER), post_price(1, oracle=STRANGER))
    world.wait(INTERVAL)
    with expect(errors.PriceStepTooLarge):
        world.act(post_price(3, oracle=STRANGER))
    world.act(post_price(2, oracle=STRANGER))


def test_post_price__step_and_interval__are_the_markets(world: World) -> None:
    world.act(set_parameter(MarketParameter.POST_STEP_BPS, 5_000), set_parameter(MarketParameter.MIN_POST_INTERVAL, 30))
    world.wait(30)
    world.act(post_price(WSOL_PRICE // 2 + 1))
    assert world.payment_mint(WSOL).price == WSOL_PRICE // 2 + 1


def test_post_price__interval__is_never_below_half_a_minute(world: World) -> None:
    """Else a vote would let an oracle key move a price by any factor in one transaction."""
    with expect(errors.ParameterOutOfBounds):
        world.act(set_parameter(MarketParameter.MIN_POST_INTERVAL, 29))
    world.act(set_parameter(MarketParameter.MIN_POST_INTERVAL, 30))


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
