"""open_rental in a mint that Pyth prices: which price updates count, and what an order costs then.

The accounts are laid out as Pyth's receiver writes them: discriminator, write authority, verification level (one byte
when full, two when partial), price message, slot.

Invariant MKT-8.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_payment_mint
from anchor_client.generated.types import OracleKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import AUTHORITY, HOST, RENTER, STRANGER, TREASURY, USDC, WSOL
from .harness.flows import running
from .harness.outcome import Refused, expect
from .harness.pyth import (
    FEED,
    MAX_AGE,
    MAX_CONFIDENCE_BPS,
    PYTH_TERMS,
    RECEIVER,
    SOL_USD,
    UPGRADED_RECEIVER,
    PriceUpdate,
    price_by_pyth,
    put_update,
)
from .harness.reference import divide, rates
from .harness.terms import HOUR
from .harness.world import World

PRICE = PriceUpdate(0).price


@pytest.fixture(autouse=True)
def priced_by_pyth(world: World) -> None:
    price_by_pyth(world)


def order(world: World, **changes: Any) -> int:
    """Opens a rental priced by an update with these changes; gives its rate per hour in lamports."""
    put_update(world, PriceUpdate(**{"published_at": world.now} | changes))
    return open_one(world)


def open_one(world: World, feed: Pubkey | None = FEED) -> int:
    outcome = world.act(world.open_rental(mint=WSOL, price_feed=feed))
    return outcome.event(events.RentalOpened).rate


def rate_at(pico_usd: int) -> int:
    return rates(ON_DEMAND_USD, pico_usd, 9, fee_bps=1_000, extra_fee_bps=250).rate


def test_pyth__rental_in_sol__costs_and_pays_exactly(world: World) -> None:
    put_update(world, PriceUpdate(world.now))
    before = {wallet: world.tokens(wallet, WSOL) for wallet in (RENTER, HOST, TREASURY)}
    rental = running(world, mint=WSOL, price_feed=FEED)
    expected = rates(ON_DEMAND_USD, PRICE * 10**4, 9, fee_bps=1_000, extra_fee_bps=250)
    state = world.rental(rental)
    assert (state.rate, state.fee_rate, state.rate_usd) == (expected.rate, expected.fee, ON_DEMAND_USD)
    assert before[RENTER] - world.tokens(RENTER, WSOL) == state.deposit == expected.deposit(HOUR)
    put_update(world, PriceUpdate(world.now, price=PRICE // 2))
    world.run(HOUR // 2 + 1)
    world.act(world.settle_rental(rental))
    closed = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    split = divide(expected, HOUR, HOUR // 2 + 1, holdback_bps=state.holdback_bps, host_at_fault=False)
    assert (closed.paid, closed.fees, closed.refunded) == (split.paid, split.fees, split.refunded)
    assert world.tokens(HOST, WSOL) - before[HOST] == split.paid
    assert before[RENTER] - world.tokens(RENTER, WSOL) == state.deposit - split.refunded
    world.act(world.sweep_fees(WSOL))
    assert world.tokens(TREASURY, WSOL) > before[TREASURY]


@pytest.mark.parametrize(
    ("exponent", "price", "pico_usd"),
    [
        (-12, 187_654_321_012_345, 187_654_321_012_345),
        (-10, 1_876_543_210_123, 187_654_321_012_300),
        (-8, 18_765_432_101, 187_654_321_010_000),
        (-5, 18_765_432, 187_654_320_000_000),
        (-2, 18_765, 187_650_000_000_000),
        (0, 187, 187_000_000_000_000),
        (1, 18, 180_000_000_000_000),
        (-13, 1_876_543_210_123_459, 187_654_321_012_345),
        (-16, 1_876_543_210_123_459_999, 187_654_321_012_345),
    ],
)
def test_pyth__exponents__scale_the_price_and_round_it_down(
    world: World, exponent: int, price: int, pico_usd: int
) -> None:
    assert order(world, exponent=exponent, price=price, confidence=0) == rate_at(pico_usd)


@pytest.mark.parametrize(
    ("exponent", "price", "error"),
    [
        (-40, 2**63 - 1, errors.PriceMissing),
        (-(2**31), 2**63 - 1, errors.PriceMissing),
        (-13, 9, errors.PriceMissing),
        (20, 1, errors.MathOverflow),
        (2**31 - 1, 1, errors.MathOverflow),
        (0, 2**63 - 1, errors.MathOverflow),
    ],
)
def test_pyth__price_beyond_what_fits__is_refused(
    world: World, exponent: int, price: int, error: type[errors.ProgramError]
) -> None:
    with expect(error):
        order(world, exponent=exponent, price=price, confidence=0)


@pytest.mark.parametrize("price", [0, -1, -(2**63)])
def test_pyth__price_not_above_zero__is_refused(world: World, price: int) -> None:
    with expect(errors.PriceMissing):
        order(world, price=price, confidence=0)


@pytest.mark.parametrize("age", [0, 1, MAX_AGE, -1, -MAX_AGE])
def test_pyth__age_within_the_maximum__is_taken(world: World, age: int) -> None:
    """A publisher's clock may be ahead of the cluster's, by no more than an update may be old."""
    order(world, published_at=world.now - age)


@pytest.mark.parametrize("age", [MAX_AGE + 1, -MAX_AGE - 1, 2**40, -(2**40)])
def test_pyth__too_old_or_from_the_future__is_refused(world: World, age: int) -> None:
    with expect(errors.PriceStale):
        order(world, published_at=world.now - age)


@pytest.mark.parametrize("published_at", [-(2**63) + 1, 2**63 - 1])
def test_pyth__time_at_the_ends_of_its_integer__is_refused(world: World, published_at: int) -> None:
    update = PriceUpdate(0).encode()
    at = 8 + 32 + 1 + 32 + 8 + 8 + 4
    put_update(world, PriceUpdate(0))
    account = world.cluster.account(FEED)
    assert account is not None
    data = update[:at] + published_at.to_bytes(8, "little", signed=True) + update[at + 8 :]
    world.cluster.set_account(FEED, type(account)(account.lamports, data, account.owner))
    with expect(errors.PriceStale):
        open_one(world)


@pytest.mark.parametrize("beyond", [0, 1])
def test_pyth__confidence_around_the_widest__is_refused_above_it(world: World, beyond: int) -> None:
    confidence = PRICE * MAX_CONFIDENCE_BPS // 10_000 + beyond
    if beyond:
        with expect(errors.PriceUncertain):
            order(world, confidence=confidence)
    else:
        order(world, confidence=confidence)


def test_pyth__confidence_beyond_any_price__is_refused(world: World) -> None:
    with expect(errors.PriceUncertain):
        order(world, confidence=2**64 - 1)


def test_pyth__no_update__is_refused(world: World) -> None:
    put_update(world, PriceUpdate(world.now))
    with expect(errors.PriceFeedMissing):
        open_one(world, None)


@pytest.mark.parametrize("verification", [b"\0\5", b"\0\1", b"\0\x13", b"\2", b"\xff"])
def test_pyth__not_fully_verified__is_refused(world: World, verification: bytes) -> None:
    with expect(errors.WrongPriceFeed):
        order(world, verification=verification)


def test_pyth__another_feed__is_refused(world: World) -> None:
    for feed_id in (bytes(STRANGER), bytes(32), bytes(SOL_USD)[:31] + b"\0"):
        with expect(errors.WrongPriceFeed):
            order(world, feed_id=feed_id)


@pytest.mark.parametrize("discriminator", [bytes(8), bytes([104, 192, 188, 72, 246, 166, 12, 81])])
def test_pyth__another_kind_of_account__is_refused(world: World, discriminator: bytes) -> None:
    with expect(errors.WrongPriceFeed):
        order(world, discriminator=discriminator)


def test_pyth__another_programs_account__is_refused(world: World) -> None:
    for owner in (STRANGER, Pubkey.default(), Pubkey.from_string("pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT")):
        put_update(world, PriceUpdate(world.now), owner=owner)
        with expect(errors.WrongPriceFeed):
            open_one(world)


@pytest.mark.parametrize(
    ("kind", "owner", "other"),
    [(OracleKind.PYTH, RECEIVER, UPGRADED_RECEIVER), (OracleKind.PYTH_UPGRADED, UPGRADED_RECEIVER, RECEIVER)],
)
def test_pyth__either_receiver__is_read_by_the_terms_that_choose_it(
    world: World, kind: OracleKind, owner: Pubkey, other: Pubkey
) -> None:
    price_by_pyth(world, kind)
    for verification in (b"\0\5", b"\0\x13"):
        put_update(world, PriceUpdate(world.now, verification=verification), owner=owner)
        with expect(errors.WrongPriceFeed):
            open_one(world)
    put_update(world, PriceUpdate(world.now, feed_id=bytes(STRANGER)), owner=owner)
    with expect(errors.WrongPriceFeed):
        open_one(world)
    put_update(world, PriceUpdate(world.now), owner=other)
    with expect(errors.WrongPriceFeed):
        open_one(world)
    put_update(world, PriceUpdate(world.now), owner=owner)
    assert open_one(world) == rate_at(PRICE * 10**4)


def test_pyth__another_receiver__begins_without_a_price(world: World) -> None:
    price_by_pyth(world, OracleKind.PYTH_UPGRADED)
    mint = world.payment_mint(WSOL)
    assert (mint.oracle_kind, mint.oracle, mint.price) == (OracleKind.PYTH_UPGRADED, SOL_USD, 0)


@pytest.mark.parametrize("kind", [len(OracleKind), 255])
def test_pyth__kind_that_the_program_does_not_know__is_refused(world: World, kind: int) -> None:
    """No vote names a receiver of its own: what is not one of the constants is no terms at all."""
    changed = instructions.update_payment_mint(
        authority=AUTHORITY, payment_mint=find_payment_mint(WSOL)[0], terms=PYTH_TERMS
    )
    data = bytearray(changed.data)
    assert data[8] == OracleKind.PYTH
    data[8] = kind
    with pytest.raises(Refused):
        world.act(Instruction(changed.program_id, bytes(data), changed.accounts))


@pytest.mark.parametrize("size", [0, 7, 8, 40, 41, 124])
def test_pyth__cut_short__is_refused(world: World, size: int) -> None:
    put_update(world, PriceUpdate(world.now), size=size)
    with expect(errors.WrongPriceFeed):
        open_one(world)


def test_pyth__account_of_this_program__is_refused(world: World) -> None:
    for key in (find_payment_mint(WSOL)[0], find_payment_mint(USDC)[0], STRANGER):
        with expect(errors.WrongPriceFeed):
            open_one(world, key)


def test_pyth__update_beside_a_mint_without_feed__is_not_read(world: World) -> None:
    put_update(world, PriceUpdate(0, price=1))
    assert world.act(world.open_rental(mint=USDC, price_feed=FEED)).events


def test_pyth__posted_price__is_refused(world: World) -> None:
    with expect(errors.OracleNotPosted):
        world.act(instructions.post_price(oracle=STRANGER, payment_mint=find_payment_mint(WSOL)[0], price=1))


@pytest.mark.parametrize(
    "change",
    [
        {"max_age": 0},
        {"max_confidence_bps": 0},
        {"max_confidence_bps": 10_001},
        {"oracle": Pubkey.default()},
    ],
)
def test_pyth__terms_without_a_bound_or_a_feed__are_refused(world: World, change: dict[str, Any]) -> None:
    terms = replace(PYTH_TERMS, **change)
    with expect(errors.ParameterOutOfBounds):
        world.act(
            instructions.update_payment_mint(authority=AUTHORITY, payment_mint=find_payment_mint(WSOL)[0], terms=terms)
        )


@pytest.mark.parametrize("change", [{"max_age": 1}, {"max_confidence_bps": 1}, {"max_confidence_bps": 10_000}])
def test_pyth__terms_at_their_bounds__are_taken(world: World, change: dict[str, Any]) -> None:
    world.act(
        instructions.update_payment_mint(
            authority=AUTHORITY, payment_mint=find_payment_mint(WSOL)[0], terms=replace(PYTH_TERMS, **change)
        )
    )
