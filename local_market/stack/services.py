"""The indexer and the keeper as parts of a local market, configured as they would be on their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from anchor_client.solana.http.answer import HttpFailure
from anchor_client.solana.http.client import HttpClient
from indexer.main import serve
from indexer.settings import IndexerSettings
from keeper.loop import run_service
from keeper.names import CrankName
from keeper.settings import KeeperSettings
from local_market.errors import StartFailed
from local_market.keys import key_path
from local_market.running import RunningMarket
from local_market.stack.ports import LOOPBACK

INDEX_SECONDS = 60.0
POLL_SECONDS = 0.1
CRANKS_SECONDS = 2.0
NODE_REQUESTS = 50.0
"""A second: browser, commands, hosts and tests of this machine are one address, and the node is here too."""
FAUCET_GIFTS = 1e6
"""An hour, of the same."""


async def run_indexer(market: RunningMarket, host_names: Mapping[str, str], ready: asyncio.Event) -> None:
    """Indexes the market and serves the API until cancelled."""
    api = urlsplit(market.api_url)
    settings = IndexerSettings(
        rpc_url=market.rpc_url,
        ws_url=market.ws_url,
        database_url=market.database_url,
        host=api.hostname or "",
        port=api.port or 0,
        metrics_port=_metrics_port(market, "indexer"),
        metrics_host=LOOPBACK,
        webhook_private=True,
        same_origin=True,
        node_requests=NODE_REQUESTS,
        node_requests_per_client=NODE_REQUESTS,
        sign_ins_per_client=NODE_REQUESTS,
        tokens=market.tokens,
        host_names=dict(host_names),
        faucet_gifts=FAUCET_GIFTS,
        faucet_keypair=str(key_path(Path(market.data) / "keys", "authority")),
    )
    await serve(settings, ready=ready.set)


async def await_index(market: RunningMarket) -> None:
    """Waits until the API shows everything that is on the chain. StartFailed when that takes too long."""
    deadline = time.monotonic() + INDEX_SECONDS
    problem = ""
    async with HttpClient(market.api_url) as api:
        while time.monotonic() < deadline:
            try:
                answer = await api.request("GET", "/health")
            except HttpFailure as error:
                problem = f"{type(error).__name__}: {error}"
            else:
                if answer.is_success:
                    return
                problem = answer.text
            await asyncio.sleep(POLL_SECONDS)
    raise StartFailed(f"The index is not complete after {INDEX_SECONDS:.0f} s: {problem}")


async def run_keeper(
    market: RunningMarket, keypair: Path, state: Path, ready: asyncio.Event, stop: asyncio.Event
) -> None:
    """Ends what is due and turns every crank until `stop` is set."""

    settings = KeeperSettings(
        turn_seconds=0,
        rpc_url=market.rpc_url,
        ws_url=market.ws_url,
        keypair=str(keypair),
        cranks=frozenset(CrankName),
        cranks_seconds=CRANKS_SECONDS,
        idle_clock_seconds=POLL_SECONDS * 10,
        state_dir=state,
        metrics_port=_metrics_port(market, "keeper"),
        metrics_host=LOOPBACK,
    )
    await run_service(settings, ready=ready, stop=stop)


def _metrics_port(market: RunningMarket, service: str) -> int | None:
    return urlsplit(market.metrics[service]).port
