"""A rental's optional charges, through the client and the program."""

from __future__ import annotations

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client import errors
from anchor_client.generated import errors as refusals
from anchor_client.generated.accounts import Meter
from anchor_client.generated.types import Charges, MarketParameter
from anchor_client.market import RentalWanted
from anchor_client.rules.listing import charges_of
from anchor_client.rules.meter import claimed
from anchor_client.solana.tokens import NATIVE_MINT, associated_token, balance_in
from tests.markets.marketplace import SOL, TOKEN, Marketplace

CHARGES = Charges(bandwidth_usd=10_000, bandwidth_free_gb=1, storage_usd=100)
WINDOW = 600
CAP = 5 * TOKEN
ORDER_HASH = bytes(range(32))


async def metered(marketplace: Marketplace, renter: Keypair, pay: str, cap: int) -> Pubkey:
    """A running rental whose charges are capped, on a listing of its own."""
    async with marketplace.market(marketplace.authority) as admin:
        await admin.update({MarketParameter.CHARGE_WINDOW: WINDOW})
    [listing] = await marketplace.add_machines(1)
    async with marketplace.market(marketplace.host) as host, marketplace.market(renter) as market:
        await host.charges.set(listing, CHARGES)
        assert charges_of(await market.reads.listing(listing)) == CHARGES
        job = await market.rental.open(
            RentalWanted(
                listing=listing, duration=3_600, pay=pay, order_hash=ORDER_HASH, max_charges=cap, storage_gb=50
            )
        )
    await marketplace.run(job.id)
    return job.id


async def test_meter__opened_with_the_order__is_capped_reported_disputed_and_divided(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    usdc = marketplace.usdc.pubkey()
    job = await metered(marketplace, renter, "USDC", CAP)
    async with marketplace.market(marketplace.host) as host, marketplace.market(renter) as market:
        meter = await market.charges.get(job)
        assert (meter.cap, meter.renter, meter.bandwidth_rate) == (CAP, renter.pubkey(), 10_000 * 1_000)
        assert list(await host.charges.list(authority=marketplace.host.pubkey())) != []
        assert await market.charges.list(renter=renter.pubkey()) == {market.charges.address_of(job): meter}

        await host.charges.report(job, 3_000)
        await market.charges.accept(job)
        before = balance_in(await host.reads.program.account(associated_token(host.address, usdc)))
        await market.charges.settle(job)
        assert balance_in(await host.reads.program.account(associated_token(host.address, usdc))) == before + 20_000

        await host.charges.report(job, 103_000)
        await market.charges.dispute(job)
        assert claimed(await market.charges.get(job)) == 20_000 + 1_000_000
        with pytest.raises(refusals.DisputeOpen):
            await market.charges.resolve(job)

        held = balance_in(await market.reads.program.account(associated_token(renter.pubkey(), usdc)))
        refunded = (await market.rental.stop(job)).refunded
        assert (await market.charges.get(job)).ended_at > 0
        await marketplace.warp(WINDOW + 2)
        await host.charges.resolve(job)
        await host.charges.close(job)
        with pytest.raises(errors.UnknownMeter):
            await market.charges.get(job)
        now = balance_in(await market.reads.program.account(associated_token(renter.pubkey(), usdc)))
        assert now == held + refunded + CAP - 20_000


async def test_meter__paid_in_sol__comes_back_as_sol(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    job = await metered(marketplace, renter, "SOL", 2 * SOL)
    async with marketplace.market(renter) as market:
        meter = await market.charges.get(job)
        assert (meter.cap, meter.mint) == (2 * SOL, NATIVE_MINT)
        await market.rental.stop(job)
        await marketplace.warp(WINDOW + 2)
        before = await market.reads.program.balance(renter.pubkey())
        await market.charges.close(job)
        rent = await market.reads.program.rent_exempt_minimum(Meter.SIZE)
        gained = await market.reads.program.balance(renter.pubkey()) - before
        assert 0 <= 2 * SOL + rent - gained < SOL // 100
        assert await market.reads.program.account(associated_token(renter.pubkey(), NATIVE_MINT)) is None


async def test_open_meter__running_rental__takes_one_later(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    [listing] = await marketplace.add_machines(1)
    async with marketplace.market(marketplace.host) as host, marketplace.market(renter) as market:
        await host.charges.set(listing, CHARGES)
        job = await market.rental.open(RentalWanted(listing=listing, duration=3_600, pay="USDC", order_hash=ORDER_HASH))
        with pytest.raises(errors.UnknownMeter) as caught:
            await market.charges.get(job.id)
        assert caught.value.remedy
        with pytest.raises(errors.InsufficientBalance):
            await market.charges.open(job.id, 10**12)
        with pytest.raises(refusals.ChargesAboveAgreed):
            await market.charges.open(job.id, CAP, agreed=Charges(1, 1, 1))
        await market.charges.open(job.id, CAP)
        assert (await market.charges.get(job.id)).cap == CAP
        await market.rental.stop(job.id)


async def test_cancel__job_with_a_meter__ends_it(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    job = await metered(marketplace, renter, "USDC", CAP)
    async with marketplace.market(marketplace.host) as host:
        await host.rental.cancel(job)
        assert (await host.charges.get(job)).ended_at > 0


async def test_rent__listing_without_charges__opens_no_meter(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    [listing] = await marketplace.add_machines(1)
    async with marketplace.market(renter) as market:
        job = await market.rental.open(
            RentalWanted(listing=listing, duration=3_600, pay="USDC", order_hash=ORDER_HASH, max_charges=CAP)
        )
        with pytest.raises(errors.UnknownMeter):
            await market.charges.get(job.id)
        with pytest.raises(refusals.NoCharges):
            await market.charges.open(job.id, CAP)
        await market.rental.stop(job.id)
