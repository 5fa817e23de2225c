"""Requests of one look of a keeper with thousands of rentals open: by the chain alone, and by an index.

Bytes are those of the answers in JSON, before any compression, of the node and of the index's API alike.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.api.market import MarketApi
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.solana.http.answer import HttpAnswer
from anchor_client.solana.node import NodeClient
from anchor_client.solana.rpc import Reader
from benchmarks.figures import Figure, Progress, Report
from benchmarks.load.rounds import DURATION, begin_round
from benchmarks.load.world import open_world
from indexer.index.ingest import ingest
from indexer.index.transaction import transaction_from_json
from indexer.status import Status
from indexer.store.database import migrate, open_database
from indexer.store.progress import write_progress
from keeper.index_api import IndexApi
from keeper.metrics import KeeperMetrics
from keeper.names import SourceName
from keeper.settings import KeeperSettings
from keeper.source import CandidateSource, ChainSource, IndexSource
from keeper.tasks import find_rentals_due
from tests.anchor_client.solana.proxy import Proxy
from tests.indexer.service import api_alone
from tests.markets.parties import World

RENTALS = 5_000
DUE = 50
APART = 600
"""Seconds between those that are due and the others."""
FAR = 2**40


class WrongLook(RuntimeError):
    """A source found other rentals due than there are."""


class CountingApi(MarketApi):
    """Counts what comes back."""

    calls = 0
    received = 0

    async def ask(self, method: str, path: str, document: dict[str, object] | None = None) -> HttpAnswer:
        """The same."""
        answer = await super().ask(method, path, document)
        self.calls += 1
        self.received += len(answer.text)
        return answer


@dataclass(frozen=True, slots=True)
class Looks:
    """Two sources and what counts for them."""

    proxy: Proxy
    api: CountingApi
    sources: dict[str, CandidateSource]

    async def look(self, name: str, due: int) -> list[Figure]:
        """Counts the requests of one look. WrongLook unless it finds what is due."""
        before = self.proxy.calls.total(), self.proxy.received.total(), self.api.calls, self.api.received
        snapshot = await self.sources[name].read(Pubkey.default())
        if len(find_rentals_due(snapshot, snapshot.now)) != due:
            raise WrongLook(f"by the {name}, others than {due} are due")
        after = self.proxy.calls.total(), self.proxy.received.total(), self.api.calls, self.api.received
        calls, received, asked, told = (now - then for now, then in zip(after, before, strict=True))
        of = f"{due} of {RENTALS:,} rentals due, by the {name}"
        return [
            Figure(f"calls to the node, {of}", calls, "calls"),
            Figure(f"received from the node, {of}", round(received / 1_000, 1), "kB"),
            Figure(f"calls to the API, {of}", asked, "calls"),
            Figure(f"received from the API, {of}", round(told / 1_000, 1), "kB"),
        ]


async def measure(progress: Progress) -> Report:
    """Looks of either source at the same market: first with nothing due, then with DUE of RENTALS."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as directory:
        engine = open_database(f"sqlite:///{Path(directory) / 'index.db'}")
        migrate(engine)
        async with open_world() as (world, recording):
            progress(f"opening {RENTALS:,} rentals")
            world.local.cluster.pause()  # nothing falls due by itself
            parties = [world.party() for _ in range(RENTALS)]
            await begin_round(world, parties[:DUE], together=True)
            world.warp(APART)
            await begin_round(world, parties[DUE:], together=True)
            ingest(map(transaction_from_json, recording.take()), engine)
            async with _looks(engine, world) as looks:
                await looks.look("index", 0)  # it compares everything at first
                for due in (0, DUE):
                    if due:
                        world.warp(DURATION - APART + 1)
                    for name in looks.sources:
                        figures += await looks.look(name, due)
        engine.dispose()
    return Report(figures)


@asynccontextmanager
async def _looks(engine: Engine, world: World) -> AsyncIterator[Looks]:
    """Sources over a proxy to the cluster, and an API over the index, which says that it is complete."""
    status = Status()
    status.saw_head(FAR, world.now(), None)
    status.completed(FAR)
    write_progress(engine, str(PROGRAM_ID), status)
    async with (
        Proxy(world.local.http_url) as proxy,
        NodeClient(proxy.url, timeout=60) as client,
        api_alone(engine) as url,
        CountingApi(url) as api,
    ):
        reader = Reader(client, PROGRAM_ID)
        settings = KeeperSettings(source=SourceName.INDEX, api_url=url)
        index = IndexApi(api, settings.index_max_lag_seconds)
        named = IndexSource(reader, index, settings, KeeperMetrics())
        yield Looks(proxy, api, {"chain": ChainSource(reader), "index": named})
