"""The price shown of each kind of seeded machine is that of the order the client plans. Invariant IDX-14."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import product

import pytest
from solders.pubkey import Pubkey

from anchor_client import errors
from anchor_client.generated import errors as refusals
from anchor_client.generated.types import RentalKind
from anchor_client.kinds import KINDS, kind_name
from anchor_client.market import RentalWanted
from anchor_client.market.host.offers import Offer
from anchor_client.resources.listing import Listing
from anchor_client.resources.rate import OrderRate, find_rate
from anchor_client.rules.hourly import NoOrder, Pricing
from local_market.machines import machines_by_region
from tests.markets.marketplace import Marketplace

SEEDED = sorted(
    {(spec.gpu_model, spec.gpu_count): spec for own in machines_by_region().values() for spec in own}.values(),
    key=lambda spec: spec.on_demand_usd,
)
"""One machine of each model and number of GPUs, cheapest first: their likes have the same prices."""


@pytest.fixture
async def machines(marketplace: Marketplace) -> AsyncIterator[list[Pubkey]]:
    """Each model's machine; closed in the end, when their host has its budget again."""
    async with marketplace.market(marketplace.host) as host:
        added = await host.host.create_listings(SEEDED)
        await host.host.heartbeat(added)
        budget = (await host.reads.host(host.address)).subsidy_budget
        yield added
        for listing in added:
            await host.host.close_listing(listing)
    await approve(marketplace, budget)


async def approve(marketplace: Marketplace, budget: int) -> None:
    """Gives the host a subsidy budget."""
    async with marketplace.market(marketplace.authority) as admin:
        await admin.host.approve(marketplace.host.pubkey(), subsidy_budget=budget)


def wanted_at(listing: Listing, rate: OrderRate, pay: str) -> RentalWanted:
    """The order that a rate is of, paid in its token."""
    kind, most = kind_name(rate.kind), rate.micro_usd_per_hour
    return RentalWanted(
        duration=rate.duration, pay=pay, kind=kind, listing=listing.id, order_hash=bytes(32), max_usd=most
    )


@pytest.mark.parametrize("budget", [0, 10_000_000, 10**13])
async def test_price__every_seeded_machine_token_and_kind__is_the_plans(
    marketplace: Marketplace, machines: list[Pubkey], budget: int
) -> None:
    await approve(marketplace, budget)
    renter = await marketplace.renter(gpum=10**13, usdc=10**13)
    async with marketplace.market(renter) as market:
        pricing, tokens = await market.pricing(), await market.reads.tokens()
        for machine in machines:
            listing = (await market.reads.offer(machine)).listed(pricing)
            rates_of = {(rate.mint, rate.kind): rate for rate in listing.rates}
            for pay, kind in product(("GPUM", "USDC", "SOL"), KINDS.values()):
                rate = rates_of[tokens.mint(pay), kind]
                wanted = wanted_at(listing, rate, pay)
                rates = (await market.rental.plan.open(renter.pubkey(), wanted)).quote.rates
                told = (rate.base_units_per_hour, rate.subsidy_per_hour, rate.burned_per_hour)
                assert told == (rates.rate, rates.subsidy, rates.burn)
                with pytest.raises(refusals.CostAboveMaximum):
                    most = rate.micro_usd_per_hour - 1
                    await market.rental.plan.open(renter.pubkey(), replace(wanted, max_usd=most))


async def test_ways__same_time_of_a_machine__cost_what_its_orders_do_cheapest_first(
    marketplace: Marketplace, machines: list[Pubkey]
) -> None:
    renter = await marketplace.renter(gpum=10**13, usdc=10**13)
    async with marketplace.market(renter) as market:
        pricing, tokens = await market.pricing(), await market.reads.tokens()
        for machine, seconds in product(machines[:3], (10 * 3_600, 7 * 86_400)):
            offer = await market.reads.offer(machine)
            ways = pricing.ways(offer.listing, offer.subsidy_left, seconds)
            costs = [token.usd_floor(quote.deposit) for token, quote in ways]
            assert costs == sorted(costs)
            kinds = {quote.kind for _, quote in ways}
            assert kinds == {kind for kind in KINDS.values() if seconds > 86_400 or kind_name(kind) != "reserved"}
            for token, quote in ways:
                wanted = RentalWanted(
                    duration=seconds,
                    pay=tokens.symbol(Pubkey.from_string(str(token.mint))),
                    listing=machine,
                    kind=quote.kind,
                    order_hash=bytes(32),
                )
                plan = await market.rental.plan.open(renter.pubkey(), wanted)
                assert (plan.quote.deposit, plan.quote.subsidy) == (quote.deposit, quote.subsidy)
        offer = await market.reads.offer(machines[0])
        assert pricing.ways(offer.listing, offer.subsidy_left, 60) == []


async def test_left_out__every_kind_that_takes_no_order__says_from_when_it_does(
    marketplace: Marketplace, machines: list[Pubkey]
) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        pricing = await market.pricing()
        for machine, seconds in product(machines[:3], (60, 3 * 3_600, 7 * 86_400, 2**31)):
            offer = await market.reads.offer(machine)
            ways = pricing.ways(offer.listing, offer.subsidy_left, seconds)
            left_out = pricing.left_out(offer.listing, seconds, ways)
            kinds = {quote.kind for _, quote in ways} | {each.kind for each in left_out}
            assert kinds == {*KINDS.values()} and len(left_out) == 3 - len({quote.kind for _, quote in ways})
            for kind, reason, shortest in left_out:
                assert shortest is not None
                if seconds == 60:
                    assert reason is (NoOrder.OTHER_TERM if kind_name(kind) == "reserved" else NoOrder.TOO_SHORT)
                assert kind in _kinds(pricing, offer, shortest)
                assert kind not in _kinds(pricing, offer, shortest - 60)
        own = replace(offer.listing, spot_min_usd=0)
        assert pricing.left_out(own, 60, [])[-1] == (KINDS["spot"], NoOrder.NOT_OFFERED, None)
        own = replace(offer.listing, mrl_seconds=1)
        assert {each.shortest for each in pricing.left_out(own, 60, [])} == {None}


def _kinds(pricing: Pricing, offer: Offer, seconds: int) -> set[RentalKind]:
    return {quote.kind for _, quote in pricing.ways(offer.listing, offer.subsidy_left, seconds)}


async def test_match__maximum_between_two_prices__takes_the_cheaper_or_none(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        listed = [offer.listed(await market.pricing()) for offer in await market.listings(available_for=3_600)]
        mint = (await market.reads.tokens()).mint("USDC")
        prices = [rate.micro_usd_per_hour for each in listed if (rate := find_rate(each.rates, mint)) is not None]
        wanted = RentalWanted(duration=10 * 3_600, pay="USDC", order_hash=bytes(32), max_usd=min(prices))
        plan = await market.rental.plan.open(renter.pubkey(), wanted)
        cheapest = find_rate(plan.offer.listed(await market.pricing()).rates, mint)
        assert cheapest is not None and cheapest.micro_usd_per_hour == min(prices)
        with pytest.raises(errors.NothingAvailable):
            await market.rental.plan.open(renter.pubkey(), replace(wanted, max_usd=min(prices) - 1))
