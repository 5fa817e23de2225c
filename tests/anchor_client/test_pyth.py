"""Prices from Pyth: the client's reading of them against the program's, and orders that bring them."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from solders.account import Account
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.token.state import Mint

from anchor_client.errors import GpuMarketError
from anchor_client.generated import errors as refusals
from anchor_client.generated.errors import ProgramError
from anchor_client.generated.program import TOKEN_PROGRAM
from anchor_client.generated.types import OracleKind
from anchor_client.market import JobState, MachineWanted, Market, RentalWanted
from anchor_client.market.reads import MarketReader
from anchor_client.rules.pyth import DEPLOYMENTS, PriceUpdate, sponsored_feed
from anchor_client.solana.tokens import NATIVE_MINT
from keeper.tasks.matching import find_matches
from keeper.tasks.supply import read_supply
from tests.markets.marketplace import H100, SOL, TOKEN, Marketplace
from tests.markets.spec import ON_DEMAND_USD
from tests.program.harness.actors import WSOL
from tests.program.harness.market import seeded_world
from tests.program.harness.pyth import (
    FEED,
    MAX_AGE,
    MAX_CONFIDENCE_BPS,
    RECEIVER,
    SOL_USD,
    UPGRADED_RECEIVER,
    price_by_pyth,
    put_update,
)
from tests.program.harness.pyth import PriceUpdate as Written
from tests.program.harness.reference import rates
from tests.program.harness.terms import USDC_TERMS
from tests.program.harness.world import World

HOUR = 3_600
ORDER_HASH = bytes(range(32))
EXPONENTS = st.one_of(st.integers(-12, 0), st.integers(-40, 20), st.sampled_from([-(2**31), 2**31 - 1]))


def test_sponsored_feed__sol_in_dollars__is_the_account_on_mainnet() -> None:
    feed_id = Pubkey(bytes.fromhex("ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d"))
    accounts = {kind: str(sponsored_feed(feed_id, pyth.push_oracle)) for kind, pyth in DEPLOYMENTS.items()}
    assert accounts == {
        OracleKind.PYTH: "7UVimffxr9ow1uXYxsr4LHAcV58mLzhmwaeKvJ1pjLiE",
        OracleKind.PYTH_UPGRADED: "7AviUf9nL62mcxNbQGKm4nKDQnPjswo6c5MX4D57HmyE",
    }


@settings(max_examples=80, deadline=None)
@given(
    price=st.one_of(st.integers(-5, 10**6), st.integers(10**6, 2**63 - 1)),
    share=st.integers(0, 2 * MAX_CONFIDENCE_BPS),
    exponent=EXPONENTS,
    age=st.integers(-MAX_AGE - 1, MAX_AGE + 1),
)
@example(price=18_765_432_101, share=MAX_CONFIDENCE_BPS, exponent=-8, age=MAX_AGE)
@example(price=1, share=0, exponent=20, age=0)
@example(price=2**63 - 1, share=0, exponent=-31, age=0)
@example(price=2**63 - 1, share=0, exponent=-32, age=0)
def test_price_update__any_numbers__is_read_as_the_program_reads_it(
    price: int, share: int, exponent: int, age: int
) -> None:
    world = seeded_world()
    price_by_pyth(world)
    confidence = max(price, 0) * share // 10_000
    written = Written(world.now - age, price=price, confidence=confidence, exponent=exponent)
    put_update(world, written)
    assert _by_client(world) == _by_program(world)


def _by_client(world: World) -> int | str:
    """The rate of the order, or what it is refused for."""
    try:
        update = PriceUpdate.read(world.cluster.account(FEED), SOL_USD, RECEIVER)
        pico = update.fresh_price(max_age=MAX_AGE, max_confidence_bps=MAX_CONFIDENCE_BPS, now=world.now)
    except ProgramError as error:
        return type(error).__name__
    rate = rates(ON_DEMAND_USD, pico, 9, fee_bps=1_000, extra_fee_bps=250).rate
    return rate if rate < 10**14 else "InsufficientFunds or MathOverflow"


def _by_program(world: World) -> int | str:
    try:
        world.act(world.open_rental(mint=WSOL, price_feed=FEED))
    except ProgramError as error:
        name = type(error).__name__
        dear = name == "InsufficientFunds" or (name == "MathOverflow" and not _overflows(world))
        return "InsufficientFunds or MathOverflow" if dear else name
    return world.rental(world.listing().current).rate


def _overflows(world: World) -> bool:
    return _by_client(world) == "MathOverflow"


@pytest.mark.parametrize(
    ("change", "owner"),
    [
        ({"verification": b"\0\5"}, RECEIVER),
        ({"discriminator": bytes(8)}, RECEIVER),
        ({"feed_id": bytes(32)}, RECEIVER),
        ({}, NATIVE_MINT),
        ({}, UPGRADED_RECEIVER),
    ],
)
def test_price_update__another_account__is_refused(change: dict[str, bytes], owner: Pubkey) -> None:
    data = replace(Written(0), **change).encode()  # type: ignore[arg-type]
    for account in (Account(1, data, owner), None):
        with pytest.raises(refusals.WrongPriceFeed) as caught:
            PriceUpdate.read(account, SOL_USD, RECEIVER)
        assert isinstance(caught.value, GpuMarketError) and caught.value.remedy


@pytest.mark.parametrize("length", [0, 8, 41, 124])
def test_price_update__cut_short__is_refused(length: int) -> None:
    with pytest.raises(refusals.WrongPriceFeed):
        PriceUpdate.read(Account(1, Written(0).encode()[:length], RECEIVER), SOL_USD, RECEIVER)


@dataclass(slots=True)
class Priced:
    """A token of the marketplace that Pyth prices."""

    place: Marketplace
    kind: OracleKind
    mint: Pubkey
    feed_id: Pubkey

    @property
    def sponsored(self) -> Pubkey:
        return sponsored_feed(self.feed_id, DEPLOYMENTS[self.kind].push_oracle)

    async def publish(self, *, price: int, age: int = 0, at: Pubkey | None = None, confidence: int = 0) -> None:
        """Puts an update where the push oracle would, or at another address."""
        async with self.place.market() as market:
            now = await market.reads.now()
        written = Written(now - age, price=price, confidence=confidence, feed_id=bytes(self.feed_id))
        account = {
            "lamports": SOL,
            "owner": str(DEPLOYMENTS[self.kind].receiver),
            "data": [base64.b64encode(written.encode()).decode(), "base64"],
        }
        await self.place.cluster.call("cheat_setAccount", str(at or self.sponsored), account)

    async def renter(self) -> Keypair:
        wallet = await self.place.renter()
        async with self.place.market(self.place.authority) as admin:
            await self.place.mint(admin, self.mint, wallet.pubkey(), 1_000_000 * TOKEN)
        return wallet


@pytest.fixture
async def priced(marketplace: Marketplace, request: pytest.FixtureRequest) -> Priced:
    kind = getattr(request, "param", OracleKind.PYTH)
    mint, feed_id = Keypair().pubkey(), Keypair().pubkey()
    terms = replace(
        USDC_TERMS,
        oracle_kind=kind,
        oracle=feed_id,
        max_age=MAX_AGE,
        extra_fee_bps=500,
        max_confidence_bps=MAX_CONFIDENCE_BPS,
    )
    state = Mint(marketplace.authority.pubkey(), 0, 6, True, None)
    account = {
        "lamports": SOL,
        "owner": str(TOKEN_PROGRAM),
        "data": [base64.b64encode(bytes(state)).decode(), "base64"],
    }
    await marketplace.cluster.call("cheat_setAccount", str(mint), account)
    async with marketplace.market(marketplace.authority) as admin:
        await admin.add_payment_mint(mint, terms)
        await admin.add_vault(mint, 0)
    return Priced(marketplace, kind, mint, feed_id)


@pytest.mark.parametrize("priced", DEPLOYMENTS, indirect=True)
async def test_rent__mint_priced_by_pyth__brings_the_sponsored_update_and_costs_the_quote(priced: Priced) -> None:
    await priced.publish(price=250_000_000)
    renter = await priced.renter()
    async with priced.place.market(renter) as market:
        job = await market.rental.open(
            RentalWanted(gpu=H100, duration=HOUR, pay=priced.mint, order_hash=ORDER_HASH, max_cost=10**12)
        )
        rental = await market.reads.rental(job.id)
        expected = rates(rental.rate_usd, 2_500_000_000_000, 6, fee_bps=1_000, extra_fee_bps=500)
        assert (rental.rate, rental.deposit, job.cost) == (expected.rate, expected.deposit(HOUR), rental.deposit)
        assert (await market.rental.stop(job.id)).status is JobState.CANCELLED


async def test_rent__configured_feed__is_used_in_place_of_the_sponsored(priced: Priced) -> None:
    own = Keypair().pubkey()
    await priced.publish(price=100_000_000, at=own)
    cluster, renter = priced.place.cluster, await priced.renter()
    async with Market.connect(cluster.rpc_url, renter, ws_url=cluster.ws_url, price_feeds={priced.mint: own}) as market:
        job = await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay=priced.mint, order_hash=ORDER_HASH))
        assert (await market.rental.stop(job.id)).status is JobState.CANCELLED
    async with priced.place.market(renter) as market:
        with pytest.raises(refusals.WrongPriceFeed, match="no account"):
            await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay=priced.mint, order_hash=ORDER_HASH))


@pytest.mark.parametrize(
    ("age", "confidence", "error"),
    [(3_600, 0, refusals.PriceStale), (-3_600, 0, refusals.PriceStale), (0, 2_500_001, refusals.PriceUncertain)],
)
async def test_rent__price_that_would_be_refused__is_foreseen_with_a_remedy(
    priced: Priced, age: int, confidence: int, error: type[ProgramError]
) -> None:
    await priced.publish(price=250_000_000, age=age, confidence=confidence)
    renter = await priced.renter()
    async with priced.place.market(renter) as market:
        with pytest.raises(error) as caught:
            await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay=priced.mint, order_hash=ORDER_HASH))
        assert isinstance(caught.value, GpuMarketError) and caught.value.remedy
        assert await market.reads.rentals(renter=renter.pubkey()) == {}


async def test_request__mint_priced_by_pyth__is_matched_at_the_sponsored_price(priced: Priced) -> None:
    await priced.publish(price=250_000_000)
    renter, finder = await priced.renter(), await priced.place.renter()
    wanted = MachineWanted(gpu=H100, duration=HOUR, pay=priced.mint, max_usd=5_000_000, order_hash=ORDER_HASH)
    async with priced.place.market(renter) as market, priced.place.market(finder) as matcher:
        request = await market.request.open(wanted)
        listing = (await matcher.listings(gpu=H100, available_for=HOUR))[0]
        job = await matcher.request.match(request.id, listing.address)
        rental = await market.reads.rental(job.id)
        expected = rates(rental.rate_usd, 2_500_000_000_000, 6, fee_bps=1_000, extra_fee_bps=500)
        assert (rental.rate, rental.deposit) == (expected.rate, expected.deposit(HOUR))
        assert (await market.rental.stop(job.id)).status is JobState.CANCELLED


async def test_find_matches__mint_priced_by_pyth__names_the_update_and_waits_for_a_fresh_one(priced: Priced) -> None:
    await priced.publish(price=250_000_000)
    wanted = MachineWanted(gpu=H100, duration=HOUR, pay=priced.mint, max_usd=5_000_000, order_hash=ORDER_HASH)
    async with priced.place.market(await priced.renter()) as market:
        request = await market.request.open(wanted)
        waiting, now = {request.id: await market.reads.request(request.id)}, await market.reads.now()

        async def feeds(**settings: Any) -> list[Pubkey | None]:
            reads = MarketReader.over(market.reads.program, **settings)
            supply = await read_supply(reads, waiting.values(), now)
            assert supply is not None
            found = find_matches(supply, waiting, now, taken=(), refused=())
            return [due.subject.machine.price_feed for due in found if due.subject.machine is not None]

        assert await feeds() == [priced.sponsored]
        await priced.publish(price=250_000_000, age=HOUR)
        assert await feeds() == []
        own = Keypair().pubkey()
        await priced.publish(price=250_000_000, at=own)
        assert await feeds(price_feeds={priced.mint: own}) == [own]
        await market.request.cancel(request.id)
