"""The same seeding, client, hosts, keeper and indexer on Agave's own validator."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest
from xprocess import XProcess

from anchor_client.generated.types import MarketParameter
from anchor_client.market import Job, JobState, Market
from anchor_client.orders import SealedOrderApi
from anchor_client.solana.http.client import HttpClient
from anchor_client.solana.tokens import associated_token, balance_in
from indexer.main import serve
from indexer.settings import IndexerSettings
from indexer.store.database import open_database
from keeper.loop import run_service
from keeper.settings import KeeperSettings
from local_market.demo.agreement import Agreement
from local_market.keys import MarketKeyring
from local_market.life import MarketLife
from local_market.seed import seed_market
from local_market.terms import LocalTerms
from tests.processes.ports import free_ports
from tests.processes.validator import Validator, running

READY_SECONDS = 180
STATE_SECONDS = 240
SHORTEST = 20
GPU = "nvidia-h100-pcie-80gb"
TERMS = LocalTerms(
    parameters={
        MarketParameter.ORDER_MIN_USD: 0,
        MarketParameter.MIN_CHARGE_SECONDS: SHORTEST,
        MarketParameter.MIN_DURATION: SHORTEST,
        MarketParameter.PRIORITY_WINDOW: 0,
        MarketParameter.OFFLINE_AFTER: 300,
        MarketParameter.PROVISION_TIMEOUT: 120,
    }
)

pytestmark = [pytest.mark.validator, pytest.mark.xdist_group("validator")]


@pytest.fixture(scope="module")
def keys() -> MarketKeyring:
    return MarketKeyring.from_seed("validator")


@pytest.fixture(scope="module")
def validator(xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory, keys: MarketKeyring) -> Iterator[Validator]:
    """A validator with the program."""
    with running(xprocess, tmp_path_factory.mktemp("ledger"), upgrade_authority=keys.authority.pubkey()) as validator:
        yield validator


async def test_market__on_a_validator__stopped_and_expired_rentals_agree_everywhere(
    validator: Validator, keys: MarketKeyring, tmp_path: Path
) -> None:
    rpc_url, ws_url, api_port = validator.http_url, validator.ws_url, free_ports()
    database = f"sqlite:///{tmp_path / 'market.db'}"
    settings = IndexerSettings(rpc_url=rpc_url, ws_url=ws_url, database_url=database, port=api_port)
    keeper = KeeperSettings(rpc_url=rpc_url, ws_url=ws_url, keypair=keys.keeper, turn_seconds=0)
    alive, indexing, keeping, stop = asyncio.Event(), asyncio.Event(), asyncio.Event(), asyncio.Event()
    api_url = f"http://127.0.0.1:{api_port}"
    post = SealedOrderApi(api_url)
    async with post, Market.connect(rpc_url, keys.renter, ws_url=ws_url, deliver_order=post.deliver) as market:
        seeded = await seed_market(market.session.client, keys, terms=TERMS)
        mint = seeded.tokens.market_token.mint
        started_with = seeded.tokens.market_token.base_units(seeded.tokens.market_token.terms.renter_tokens)
        life = MarketLife(market, ws_url, keys, seeded.tokens, orders=post)
        tasks = [
            asyncio.create_task(life.run(alive)),
            asyncio.create_task(serve(settings, ready=indexing.set)),
            asyncio.create_task(run_service(keeper, ready=keeping, stop=stop)),
        ]
        try:
            async with asyncio.timeout(READY_SECONDS):
                await asyncio.gather(alive.wait(), indexing.wait(), keeping.wait())
            stopped = await market.compute(gpu=GPU, duration=3600)
            await _reached(market, stopped, JobState.RUNNING)
            stopped = await market.rental.stop(stopped.id)
            expired = await market.compute(gpu=GPU, duration=SHORTEST)
            await _reached(market, expired, JobState.COMPLETED)
            expired = await market.jobs.with_history(expired.id)
            assert expired.finalized_by == keys.keeper.pubkey()
            engine = open_database(database)
            async with HttpClient(api_url, timeout=60) as api:
                agreement = Agreement(market, mint, keys.renter.pubkey(), api, engine)
                purse = await market.reads.program.account(associated_token(keys.renter.pubkey(), mint))
                figures, differences = await agreement.check([stopped, expired], started_with, balance_in(purse))
            engine.dispose()
            assert differences == []
            assert stopped.used is not None
            assert all(own.burned > 0 for own in figures)
        finally:
            stop.set()
            for task in tasks[:2]:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _reached(market: Market, job: Job, state: JobState) -> None:
    async with asyncio.timeout(STATE_SECONDS), aclosing(market.jobs.watch(job.id)) as statuses:
        async for status in statuses:
            if status.status is state:
                return
    pytest.fail(f"{job.id} ended without being {state.value}")
