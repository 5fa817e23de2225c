"""Reads while 48 clients of the feed replay 50,000 events, again and again.

The API answers in one process over an index in SQLite, as behind a proxy that says whose requests come. First one
client replays alone, then all are at one address, then each in a network of its own. Generator and clients are two
more processes.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, Progress, Report, Row, at_least, at_most
from benchmarks.load.continuation import endless, recorded
from benchmarks.load.process import GPU_MARKET, Server, alone, serving
from benchmarks.load.replaying import replay_once, replaying
from benchmarks.load.requests import LoadAnswer, LoadPlan, Route, run_elsewhere
from benchmarks.percentiles import percentile
from indexer.accounts.database import migrate_accounts
from indexer.api.feed.feed import MOST_BEHIND
from indexer.index.ingest import ingest
from indexer.index.transaction import Transaction
from indexer.models import Intake
from indexer.store.database import migrate, open_database
from indexer.store.intake import intake_of
from local_market.stack.ports import require_free

CLIENTS: Final = 48
PARTIES: Final = 50
RECORDED: Final = 3
EVENTS: Final = MOST_BEHIND - 1_000
RATE: Final = 50
WARM_UP_SECONDS: Final = 2
SECONDS: Final = 20
P95_TARGET: Final = 250
LONE_TARGET: Final = 2_000
"""Events a second, of which each is decoded."""
OK: Final = 200
BEHIND_A_PROXY: Final = {
    "GPU_MARKET_TRUSTED_PROXIES": "127.0.0.1",
    "GPU_MARKET_REQUESTS_PER_CLIENT": "500",
    "GPU_MARKET_MAX_CONNECTIONS_PER_CLIENT": "1000",
}
"""Reads come at ten times the rate that a client has by default; so do replays of it."""
ROUTES: Final = [
    Route("/api/jobs", 40, ["/api/jobs", "/api/jobs?status=completed"]),
    Route("/api/marketplace/listings", 20, [f"/api/marketplace/listings?limit={number}" for number in range(1, 100)]),
]


async def measure(progress: Progress) -> Report:
    """Fills an index, and reads it beside nobody and beside the clients."""
    progress("recording transactions")
    rounds = await recorded(PARTIES, RECORDED)
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        database = f"sqlite:///{home / 'index.db'}"
        progress(f"{EVENTS:,} events")
        intake = await asyncio.to_thread(_fill, database, rounds)
        async with serving("-m", "localnet", "--json", "--port", "0") as cluster:
            node = ("--json", "--rpc", cluster.ready["rpc"], "--database", database)
            command = (*GPU_MARKET, "api", *node, "--port", str(require_free(0, "API")))
            async with serving(*command, environment=alone(home) | BEHIND_A_PROXY) as server:
                progress("one client replays")
                seconds = await replay_once(_feed(server, f"{intake.id}-0"))
                figures = [Figure("a lone replay", intake.last / seconds, "events/s", at_least(LONE_TARGET))]
                progress("nobody replays")
                answers = await _reads(server)
                figures += _figures(answers, "alone")
                rows = [_row(answers, "alone", 0, 0.0)]
                for networks, name in ((1, "of one address"), (CLIENTS, "of as many networks")):
                    progress(f"{CLIENTS} clients {name}")
                    found, row = await _beside(server, f"{intake.id}-0", networks, name)
                    figures += found
                    rows.append(row)
    return Report(figures, rows)


def _fill(database: str, rounds: list[list[Transaction]]) -> Intake:
    """Takes in as much as a client may have missed."""
    engine = open_database(database)
    try:
        migrate(engine)
        migrate_accounts(engine)
        following = endless(rounds)
        while True:
            ingest(next(following), engine)
            with engine.connect() as connection:
                intake = intake_of(connection)
            if intake.last >= EVENTS - 4_000:
                return intake
    finally:
        engine.dispose()


async def _beside(server: Server, cursor: str, networks: int, name: str) -> tuple[list[Figure], Row]:
    used = server.processor_seconds
    async with replaying(_feed(server, cursor), CLIENTS, networks) as replayers:
        answers = await _reads(server)
        await replayers.end()
    used = server.processor_seconds - used
    title = f"beside {CLIENTS} replays {name}"
    figures = [
        *_figures(answers, title, P95_TARGET),
        Figure(f"events sent {title}", replayers.events / (WARM_UP_SECONDS + SECONDS), "/s", at_least(1)),
    ]
    return figures, _row(answers, title, replayers.events, used)


def _feed(server: Server, cursor: str) -> str:
    return f"ws{server.ready['api_url'].removeprefix('http')}/api/feed?topic=all&topic=network&after={cursor}"


async def _reads(server: Server) -> list[LoadAnswer]:
    return await run_elsewhere(LoadPlan(server.ready["api_url"], RATE, WARM_UP_SECONDS, SECONDS, ROUTES))


def _figures(answers: Sequence[LoadAnswer], title: str, target: int | None = None) -> list[Figure]:
    milliseconds = [answer.seconds * 1_000 for answer in answers]
    bound = None if target is None else at_most(target)
    failed = sum(answer.status != OK for answer in answers)
    return [
        Figure(f"reads {title}, p95", percentile(milliseconds, 95), "ms", bound),
        Figure(f"reads {title}, failed", failed, "requests", at_most(0)),
    ]


def _row(answers: Sequence[LoadAnswer], title: str, events: int, used: float) -> Row:
    milliseconds = [answer.seconds * 1_000 for answer in answers]
    return {
        "replays": title,
        "p50_ms": percentile(milliseconds, 50),
        "p99_ms": percentile(milliseconds, 99),
        "events": events,
        "processor_s": used,
    }
