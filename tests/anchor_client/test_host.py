"""A host's side of the market, and its authority's, through the client and the program."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import cast

import pytest
from solders.hash import Hash
from solders.instruction import AccountMeta
from solders.keypair import Keypair
from solders.pubkey import Pubkey

import anchor_client
from anchor_client import errors
from anchor_client.generated import errors as refusals
from anchor_client.generated.accounts import Vault
from anchor_client.generated.instructions import INSTRUCTIONS, heartbeat
from anchor_client.generated.types import MarketKey, MarketParameter, OracleKind, PauseArea, PaymentMintTerms
from anchor_client.market import RentalWanted
from anchor_client.market.host.plan import LISTINGS_AT_ONCE, LISTINGS_IN_V1, spec_of
from anchor_client.solana.tokens import NATIVE_MINT
from anchor_client.solana.transactions import MessageVersion, compile_message
from tests.markets.marketplace import H100, SOL_PRICE, TOKEN, USDC_PRICE, Marketplace, spec

ORDER_HASH = bytes(range(32))


def test_market__each_instruction_of_the_idl__has_a_method() -> None:
    folder = Path(inspect.getfile(anchor_client)).parent
    source = "".join(file.read_text() for file in (folder / "market").rglob("*.py"))
    missing = [spec.name for spec in INSTRUCTIONS.values() if f"build.{spec.name}" not in source]
    assert len(INSTRUCTIONS) >= 28 and missing == []


async def test_host__registered_approved_and_listed__can_be_rented_from(marketplace: Marketplace) -> None:
    wallet = Keypair()
    await marketplace.airdrop(wallet)
    async with marketplace.market(wallet) as host, marketplace.market(marketplace.authority) as admin:
        with pytest.raises(errors.UnknownHost):
            await host.host.create_listing(spec())
        await host.host.register(bytes([7] * 32))
        with pytest.raises(refusals.HostNotApproved) as unapproved:
            await host.host.create_listing(spec())
        assert f"gpu-market host approve {wallet.pubkey()}" in cast(errors.GpuMarketError, unapproved.value).remedy
        await admin.host.approve(wallet.pubkey())
        await host.host.update(bytes([8] * 32))
        assert (await host.reads.host(wallet.pubkey())).seal_key == bytes([8] * 32)

        listing = await host.host.create_listing(spec(usd=9_000_000))
        (offer,) = await host.listings(host=(await host.reads.listing(listing)).host)
        assert (offer.address, offer.online, offer.is_available) == (listing, False, False)
        await host.host.heartbeat()
        assert (await host.reads.offer(listing)).is_available

        await host.host.update_price(listing, 8_000_000, 1_000_000)
        updated = await host.reads.listing(listing)
        assert spec_of(updated).field_values() == spec(usd=9_000_000).field_values() | {
            "on_demand_usd": 8_000_000,
            "spot_min_usd": 1_000_000,
        }
        await host.host.close_listing(listing)
        with pytest.raises(errors.UnknownListing):
            await host.reads.listing(listing)


async def test_heartbeat__more_listings_than_fit__goes_in_several_transactions(marketplace: Marketplace) -> None:
    wallet = Keypair()
    await marketplace.airdrop(wallet)
    async with marketplace.market(wallet) as host, marketplace.market(marketplace.authority) as admin:
        await host.host.register(bytes([7] * 32))
        await admin.host.approve(wallet.pubkey())
        listings = await host.host.create_listings([spec("nvidia-a100-sxm4-80gb")] * (LISTINGS_IN_V1 + 1))
        sent = await host.host.heartbeat()
        assert len(sent) == 2
        offers = await host.listings(gpu="nvidia-a100-sxm4-80gb", available_for=3_600)
        assert {offer.address for offer in offers} >= set(listings)


async def test_set_operator__all_of_a_host__are_served_by_another_key_and_paid_to_the_owner(
    marketplace: Marketplace,
) -> None:
    owner, operator = Keypair(), Keypair()
    await marketplace.airdrop(owner, operator)
    async with marketplace.market(owner) as host, marketplace.market(marketplace.authority) as admin:
        await host.host.register(bytes([7] * 32))
        await admin.host.approve(owner.pubkey())
        listings = await host.host.create_listings([spec("nvidia-a100-sxm4-80gb")] * 8)
        assert len(await host.host.set_operator(operator.pubkey())) == 2
        assert await host.host.heartbeat() == []
        served = host.signing_as(operator)
        assert len(await served.host.heartbeat(owner=owner.pubkey())) == 1
        heard = [(await host.reads.listing(listing)).last_heartbeat_at for listing in listings]
        assert all(heard)
        with pytest.raises(refusals.WrongHost):
            await served.host.set_operator(operator.pubkey(), [listings[0]])
        await host.host.set_operator(owner.pubkey(), [listings[0]])
        with pytest.raises(refusals.WrongOperator):
            await served.host.heartbeat([listings[0]], owner=owner.pubkey())


def test_heartbeat__a_full_batch__fits_a_transaction(marketplace: Marketplace) -> None:
    market = marketplace.market(marketplace.host)
    for count, fits in ((LISTINGS_AT_ONCE, True), (LISTINGS_AT_ONCE + 6, False)):
        named = [AccountMeta(Pubkey.new_unique(), is_signer=False, is_writable=True) for _ in range(count)]
        instruction = heartbeat(operator=market.address, host=Pubkey.new_unique(), remaining_accounts=named)
        try:
            compile_message([instruction], market.address, Hash.default(), version=MessageVersion.LEGACY)
        except errors.TransactionTooLarge:
            assert not fits
        else:
            assert fits


async def test_listings__wrong_filters__are_named(marketplace: Marketplace) -> None:
    async with marketplace.market() as market:
        with pytest.raises(errors.UnknownGpu):
            await market.listings(gpu="voodoo 2")
        with pytest.raises(errors.UnknownRegion):
            await market.listings(region="mars")
        assert await market.listings(gpu=H100, region="ap-south") == []


async def test_gpus__the_catalog__counts_what_is_on_offer(marketplace: Marketplace) -> None:
    async with marketplace.market(marketplace.host) as market:
        await market.host.heartbeat()
        supply = {item.id: item for item in await market.gpus()}
        assert len(supply) >= 6, "and those that other tests have listed"
        assert supply[H100].listed >= supply[H100].available > 0
        rate = supply[H100].market_rate
        assert rate is not None and rate.micro_usd_per_hour == 2_760_000


async def test_admin__someone_else__is_refused_by_name(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as thief:
        with pytest.raises(refusals.Unauthorized):
            await thief.update({MarketParameter.TIP_LAMPORTS: 0})
        with pytest.raises(refusals.Unauthorized):
            await thief.host.approve(marketplace.host.pubkey(), approved=False)
        with pytest.raises(refusals.Unauthorized):
            await thief.set_paused(PauseArea.ORDERS, paused=True)
        with pytest.raises(refusals.WrongOracle):
            await thief.post_price(NATIVE_MINT, 1)
        with pytest.raises(errors.GpuMarketError):
            await thief.initialize(marketplace.gpum.pubkey(), guardian=thief.address, treasury=thief.address)


async def test_admin__each_change__is_on_the_chain(marketplace: Marketplace) -> None:
    async with marketplace.market(marketplace.authority) as admin:
        await admin.update({MarketParameter.SPOT_FEE_BPS: 260})
        with pytest.raises(refusals.ParameterOutOfBounds):
            await admin.update({MarketParameter.SPOT_FEE_BPS: 3_001})
        guardian = Keypair()
        await marketplace.airdrop(guardian)
        await admin.update_key(MarketKey.GUARDIAN, guardian.pubkey())
        market = await admin.reads.market()
        assert (market.spot_fee_bps, market.guardian) == (260, guardian.pubkey())
        async with marketplace.market(guardian) as guard:
            await guard.set_paused(PauseArea.PRICES, paused=True)
            with pytest.raises(refusals.Unauthorized):
                await guard.set_paused(PauseArea.PRICES, paused=False)
        await admin.set_paused(PauseArea.PRICES, paused=False)
        terms = PaymentMintTerms(
            oracle_kind=OracleKind.PINNED,
            enabled=True,
            shards=3,
            oracle=marketplace.oracle.pubkey(),
            pinned_price=USDC_PRICE,
            max_age=7_200,
            subsidy_bps=0,
            burn_bps=0,
            extra_fee_bps=400,
            max_confidence_bps=0,
        )
        usdc = marketplace.usdc.pubkey()
        await admin.update_payment_mint(usdc, terms)
        vault = await admin.add_vault(usdc, 2)
        assert vault in await admin.reads.vaults(usdc)
        with pytest.raises(refusals.ShardOutOfRange):
            await admin.add_vault(usdc, 3)
    async with marketplace.market(marketplace.oracle) as oracle:
        await oracle.post_price(NATIVE_MINT, SOL_PRICE + 1)
        assert (await oracle.reads.payment_mint(NATIVE_MINT)).price == SOL_PRICE + 1


async def test_sweep_fees__after_a_rental__divides_what_is_due(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        job = await market.rental.open(RentalWanted(gpu=H100, duration=3_600, pay="GPUM", order_hash=ORDER_HASH))
        shard = (await market.reads.rental(job.id)).shard
        await marketplace.run(job.id)
        await marketplace.warp(600)
        ended = await market.rental.stop(job.id)
        sent = await market.sweep_fees(job.mint, shard)
        (swept,) = sent.events
        values = swept.field_values()
        assert values["burned"] + values["treasury"] + values["stakers"] >= ended.fees > 0
        with pytest.raises(refusals.ZeroAmount):
            await market.sweep_fees(job.mint, shard)
        with pytest.raises(errors.UnknownVault):
            await market.sweep_fees(job.mint, 63)


async def test_fund_subsidy__anyone__grows_the_pool(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        before = await pools(marketplace)
        await market.fund_subsidy(TOKEN, 1)
        assert await pools(marketplace) == before + TOKEN
        with pytest.raises(refusals.InsufficientFunds):
            await market.fund_subsidy(10**15, 1)


async def pools(marketplace: Marketplace) -> int:
    async with marketplace.market() as market:
        vaults: dict[Pubkey, Vault] = await market.reads.vaults(marketplace.gpum.pubkey())
        return sum(vault.subsidy_pool for vault in vaults.values())
