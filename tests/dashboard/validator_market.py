"""A market on Agave's own validator with its API, hosts and a keeper, in a thread: Playwright has the test's loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
from solders.pubkey import Pubkey

from anchor_client.generated.types import MarketParameter
from anchor_client.market import Market
from anchor_client.orders import SealedOrderApi
from anchor_client.solana.tokens import associated_token
from indexer.main import serve
from indexer.settings import IndexerSettings
from keeper.loop import run_service
from keeper.names import CrankName
from keeper.settings import KeeperSettings
from local_market.keys import MarketKeyring, key_path
from local_market.life import MarketLife
from local_market.seed import seed_market
from local_market.terms import LocalTerms
from tests.processes.ports import free_ports
from tests.processes.validator import Validator

READY_SECONDS = 240
ACT_SECONDS = 120
TERMS = LocalTerms(
    parameters={
        MarketParameter.ORDER_MIN_USD: 0,
        MarketParameter.PRIORITY_WINDOW: 0,
        MarketParameter.OFFLINE_AFTER: 300,
        MarketParameter.PROVISION_TIMEOUT: 240,
        MarketParameter.SPOT_GRACE: 20,
        MarketParameter.EPOCH_SECONDS: 20,
        MarketParameter.PROPOSAL_STAKE: 0,
        MarketParameter.VOTING_PERIOD: 60,
        MarketParameter.TIMELOCK: 5,
    }
)
"""Times that a test can sit through: this chain's clock is nobody's to move."""
Given = TypeVar("Given")


@dataclass(frozen=True, slots=True)
class Opened:
    """A market that is served, the keys of its parties and its token; `end` ends it."""

    url: str
    rpc_url: str
    keys: MarketKeyring
    mint: Pubkey
    market: Market
    loop: asyncio.AbstractEventLoop
    stop: asyncio.Event

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self.stop.set)

    def as_authority(self, act: Callable[[Market], Awaitable[Given]]) -> Given:
        """Runs an act of the market's authority; returns its result once it is there."""

        async def acting() -> Given:
            return await act(self.market.signing_as(self.keys.authority))

        return asyncio.run_coroutine_threadsafe(acting(), self.loop).result(ACT_SECONDS)

    def held(self) -> int:
        """Base units of the market token that the renter has, as the chain says."""
        account = str(associated_token(self.keys.renter.pubkey(), self.mint))
        asked = {"jsonrpc": "2.0", "id": 1, "method": "getTokenAccountBalance"}
        call = asked | {"params": [account, {"commitment": "confirmed"}]}
        return int(httpx.post(self.rpc_url, json=call).raise_for_status().json()["result"]["value"]["amount"])


async def open_market(validator: Validator, keys: MarketKeyring, folder: Path, told: Future[Opened]) -> None:
    """Seeds a market, serves its API, keeps it, and lets its hosts live until it is ended."""
    rpc_url, ws_url, port = validator.http_url, validator.ws_url, free_ports()
    url, stop, ready = f"http://127.0.0.1:{port}", asyncio.Event(), [asyncio.Event() for _ in range(3)]
    alive, serving, keeping = ready
    post = SealedOrderApi(url)
    async with post, Market.connect(rpc_url, keys.renter, ws_url=ws_url, deliver_order=post.deliver) as market:
        seeded = await seed_market(market.session.client, keys, terms=TERMS)
        settings = IndexerSettings(
            rpc_url=rpc_url,
            ws_url=ws_url,
            database_url=f"sqlite:///{folder / 'market.db'}",
            port=port,
            tokens={symbol: str(mint) for symbol, mint in seeded.tokens.by_symbol().items()},
            faucet_keypair=str(key_path(folder, "authority")),
        )
        keeper = KeeperSettings(
            rpc_url=rpc_url,
            ws_url=ws_url,
            keypair=str(key_path(folder, "keeper")),
            cranks=frozenset(CrankName),
            cranks_seconds=2.0,
            turn_seconds=0,
            state_dir=folder / "keeper",
        )
        life = MarketLife(market, ws_url, keys, seeded.tokens, orders=post)
        async with asyncio.TaskGroup() as tasks:
            working = [
                tasks.create_task(life.run(alive)),
                tasks.create_task(serve(settings, ready=serving.set)),
            ]
            tasks.create_task(run_service(keeper, ready=keeping, stop=stop))
            async with asyncio.timeout(READY_SECONDS):
                for event in ready:
                    await event.wait()
            mint = seeded.tokens.market_token.mint
            told.set_result(Opened(url, rpc_url, keys, mint, market, asyncio.get_running_loop(), stop))
            await stop.wait()
            for task in working:
                task.cancel()


@contextmanager
def opened_market(validator: Validator, keys: MarketKeyring, folder: Path) -> Iterator[Opened]:
    """A market until the block ends; `folder` has its keys."""
    told = Future[Opened]()
    with ThreadPoolExecutor(1) as aside:
        work = aside.submit(asyncio.run, open_market(validator, keys, folder, told))
        awaited: list[Future[Any]] = [work, told]
        wait(awaited, return_when=FIRST_COMPLETED)
        if work.done():
            work.result()
        market = told.result()
        yield market
        market.end()
        work.result()
