"""GPU points and locked market tokens, through the client and the program."""

from __future__ import annotations

import pytest

from anchor_client.errors import TooFewTokens
from anchor_client.generated import errors
from anchor_client.generated.pdas import find_host
from anchor_client.market import Market, RentalWanted
from tests.markets.marketplace import H100, TOKEN, Marketplace

HASH = bytes(range(32))


async def extra_fees(market: Market) -> dict[str, int]:
    """Extra fees that mints charge a host who has locked nothing; tests that share the market change them."""
    tokens = await market.reads.tokens()
    mints = (await market.reads.payment_mints()).values()
    return {tokens.symbol(mint.mint): mint.extra_fee_bps for mint in mints if mint.extra_fee_bps}


async def test_lock__host__pays_no_extra_fee(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        before = await market.reads.rental(
            (await market.rental.open(RentalWanted(duration=600, pay="USDC", order_hash=HASH, gpu=H100))).id
        )
    async with marketplace.market(marketplace.host) as host:
        status = await host.mfp.get(host.address)
        machines = [offer.listing for offer in await host.reads.offers(host=find_host(host.address)[0])]
        points = sum(machine.points for machine in machines)
        assert points >= 1_200
        assert (status.points, status.required) == (points, points * 1_000 * TOKEN)
        whole = await extra_fees(host)
        assert status.extra_fee_bps == whole and {"USDC", "SOL"} <= whole.keys()
        with pytest.raises(TooFewTokens):
            await host.mfp.lock(status.required)
        async with marketplace.market(marketplace.authority) as admin:
            await marketplace.mint(admin, marketplace.gpum.pubkey(), host.address, status.required)
        await host.mfp.lock(status.required)
        assert set((await host.mfp.get(host.address)).extra_fee_bps.values()) == {0}
    async with marketplace.market(renter) as market:
        after = await market.reads.rental(
            (await market.rental.open(RentalWanted(duration=600, pay="USDC", order_hash=HASH, gpu=H100))).id
        )
    assert after.fee_rate < before.fee_rate and after.deposit == before.deposit
    async with marketplace.market(marketplace.host) as host:
        await host.mfp.unlock(status.required)
        with pytest.raises(errors.LockNotOver):
            await host.mfp.withdraw()
        assert (await host.mfp.refresh_listing(marketplace.listings[0])).signature
        assert (await host.mfp.get(host.address)).extra_fee_bps == whole
