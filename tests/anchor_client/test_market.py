"""A market opened by its authority through the client's own methods, from nothing to machines that can be rented."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from solders.account import Account
from solders.token.state import Mint

from anchor_client.generated.accounts import GpuModel
from anchor_client.generated.program import TOKEN_PROGRAM
from anchor_client.generated.types import GpuTerms, OracleKind
from anchor_client.rules.catalog import GPU_MODELS
from anchor_client.solana.tokens import NATIVE_MINT
from local_market.program import add_market_program
from localnet.server import LocalCluster
from tests.markets.cluster import Cluster
from tests.markets.marketplace import EPOCH, OFFLINE_AFTER, SOL, TERMS, TOKEN, Marketplace, one_host
from tests.program.harness.terms import USDC_TERMS

FUNDED = 1_000_000 * TOKEN


@pytest.fixture
async def unopened() -> AsyncIterator[Marketplace]:
    """Wallets and mints, and the program without a market."""
    keys, local = one_host(), LocalCluster()
    add_market_program(local, keys.authority.pubkey())
    for mint in (keys.market_mint, keys.usdc_mint):
        state = Mint(keys.authority.pubkey(), 0, 6, True, None)
        local.cluster.set_account(mint.pubkey(), Account(SOL, bytes(state), TOKEN_PROGRAM))
    async with local:
        unopened = Marketplace(Cluster(local.http_url, local.ws_url), keys)
        await unopened.airdrop(unopened.authority, unopened.oracle, unopened.host)
        yield unopened


async def test_market__opened_step_by_step__is_as_asked_for(unopened: Marketplace) -> None:
    gpum, usdc = unopened.gpum.pubkey(), unopened.usdc.pubkey()
    mints = {gpum: OracleKind.POSTED, usdc: OracleKind.PINNED, NATIVE_MINT: OracleKind.POSTED}
    async with unopened.market(unopened.authority) as admin:
        guardian, treasury = unopened.keys.guardian.pubkey(), unopened.keys.treasury.pubkey()
        await admin.initialize(gpum, guardian=guardian, treasury=treasury, testing=True)
        await admin.update(dict(TERMS.parameters))
        for mint, oracle_kind in mints.items():
            changes = {"oracle_kind": oracle_kind, "oracle": unopened.oracle.pubkey(), "shards": 2, "max_age": 7_200}
            terms = replace(USDC_TERMS, **changes, extra_fee_bps=0 if mint == gpum else 500)
            await admin.add_payment_mint(mint, terms)
            for shard in (0, 1):
                await admin.add_vault(mint, shard)
        await unopened.mint(admin, gpum, admin.address, 2 * FUNDED)
        for shard in (0, 1):
            await admin.fund_subsidy(FUNDED, shard)
        await admin.mfp.initialize()
        await admin.mfp.set_models({model.id: model.terms for model in GPU_MODELS})
        await admin.staking.initialize()
        for mint in mints:
            await admin.staking.add_reward_mint(mint)
        await unopened.post_prices()
        async with unopened.market(unopened.host) as host:
            await host.host.register(unopened.seal_key.public)
        await admin.host.approve(unopened.host.pubkey(), subsidy_budget=7 * TOKEN)
        await unopened.add_machines(2)

        market, pool, catalog = await admin.reads.market(), await admin.reads.pool(), await admin.reads.catalog()
        assert (market.market_mint, market.offline_after, market.epoch_seconds) == (gpum, OFFLINE_AFTER, EPOCH)
        assert {mint.mint: mint.oracle_kind for mint in (await admin.reads.payment_mints()).values()} == mints
        funded = {(vault.mint, vault.shard): vault.subsidy_pool for vault in (await admin.reads.vaults()).values()}
        assert funded == {(mint, shard): FUNDED if mint == gpum else 0 for mint in mints for shard in (0, 1)}
        assert [stream.mint for stream in pool.rewards[: len(mints)]] == list(mints)
        assert catalog.mint == gpum
        models = await admin.reads.program.read_all(GpuModel)
        known = {model.number: GpuTerms(model.points, model.reference_usd) for model in models.values()}
        assert known == {model.id: model.terms for model in GPU_MODELS}
        assert {offer.cover.left for offer in await admin.listings()} == {7 * TOKEN}
        await admin.withdraw_unreserved(gpum, 1, FUNDED)
        assert (await admin.reads.vault(gpum, 1))[1].subsidy_pool == 0
        assert [offer.is_available for offer in await admin.listings()] == [True, True]
