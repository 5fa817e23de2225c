"""Latency of reads at 500 requests a second of an index of a million rentals.

First the indexer follows a quiet cluster, and its API answers in a process of its own, as in production; the cluster
and the generator of requests are two more. Then the API answers alone, while a process in the indexer's place ingests
1,000 events a second. Latency counts from when a request was due.
"""

from __future__ import annotations

import asyncio
import pickle
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import httpx
from sqlalchemy import Engine, select
from tenacity import AsyncRetrying, stop_after_delay, wait_fixed

from anchor_client.rules.catalog import GPU_MODELS, REGIONS
from benchmarks.figures import Figure, Parts, Progress, Report, Row, at_least, at_most, below
from benchmarks.load.arrivals import Arrivals, arriving
from benchmarks.load.continuation import continued
from benchmarks.load.copies import copy_ended_rentals
from benchmarks.load.process import GPU_MARKET, Server, alone, serving
from benchmarks.load.requests import LoadAnswer, LoadPlan, Route, run_elsewhere
from benchmarks.load.rounds import begin_round, end_round, parties_of
from benchmarks.load.world import open_world
from benchmarks.percentiles import percentile
from indexer.index.ingest import ingest
from indexer.index.transaction import Transaction, transaction_from_json
from indexer.models import Rental
from indexer.store.database import migrate, open_database
from local_market.stack.ports import require_free

RENTALS = 1_000_000
PARTIES = 250
ROUNDS = 16
RATE = 500
EVENTS_A_SECOND = 1_000
SECONDS = 20
WARM_UP_SECONDS = 10
P99_TARGET = 20
P99_TARGET_BUSY = 50
MOST_LATE_SECONDS = 1
JOBS_ASKED_FOR = 1_000
HEALTHY_SECONDS = 60
POLL_SECONDS = 0.1
COPIES = RENTALS // (PARTIES * ROUNDS)
OK = 200
UNLIMITED = {"GPU_MARKET_REQUESTS_PER_CLIENT": "1000000"}
"""All requests come from one address."""


class ApiUnhealthy(RuntimeError):
    """The API does not say that its index is complete."""


@dataclass(frozen=True, slots=True)
class Index:
    """An indexed chain on disk."""

    chain: Path
    database_url: str
    arrivals: Path
    """File of the transactions that arrive during the measurement."""


async def measure(progress: Progress) -> Report:
    """Indexes the rentals, starts cluster and indexer on them, and asks."""
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        index = Index(home / "chain", f"sqlite:///{home / 'index.db'}", home / "arrivals")
        rentals = await _index(index, progress)
        routes = _routes(rentals)
        parts = Parts(progress)
        progress(f"{RATE} requests a second for {SECONDS} s")
        await parts.take("a quiet cluster", _quiet(index, routes))
        progress(f"the same while {EVENTS_A_SECOND:,} events a second come in")
        await parts.take("events coming in", _busy(index, routes, len(rentals)))
    return parts.report()


async def _quiet(index: Index, routes: Sequence[Route]) -> tuple[list[Figure], list[Row]]:
    """The indexer follows a quiet cluster."""
    async with serving("-m", "localnet", "--json", "--port", "0", "--data", str(index.chain)) as cluster:
        node = ("--json", "--rpc", cluster.ready["rpc"], "--database", index.database_url)
        async with _served(index, "indexer", *node) as server:
            await _until_healthy(server.ready["api_url"])
            quiet, used = await _asked(server, routes)
    return _figures(quiet, used, P99_TARGET), _details(quiet, "nothing")


async def _busy(index: Index, routes: Sequence[Route], rentals: int) -> tuple[list[Figure], list[Row]]:
    """The API alone, while a process in the indexer's place ingests."""
    async with serving("-m", "localnet", "--json", "--port", "0", "--data", str(index.chain)) as cluster:
        node = ("--json", "--rpc", cluster.ready["rpc"], "--database", index.database_url)
        async with _served(index, "api", *node) as server, asyncio.TaskGroup() as group:
            coming = group.create_task(arriving(Arrivals(index.database_url, str(index.arrivals), EVENTS_A_SECOND)))
            busy, used_busy = await _asked(server, routes)
    late = f"ingestion late after {EVENTS_A_SECOND:,} events a second"
    figures = [
        *_figures(busy, used_busy, P99_TARGET_BUSY, f" while {EVENTS_A_SECOND:,} events a second come in"),
        Figure(late, coming.result(), "s", below(MOST_LATE_SECONDS)),
        Figure("rentals indexed", rentals * COPIES, "rentals", at_least(RENTALS)),
    ]
    return figures, _details(busy, f"{EVENTS_A_SECOND:,} events a second")


async def _asked(server: Server, routes: Sequence[Route]) -> tuple[Sequence[LoadAnswer], float]:
    """The answers, and the share of a processor that giving them took."""
    used = server.processor_seconds
    answers = await run_elsewhere(LoadPlan(server.ready["api_url"], RATE, WARM_UP_SECONDS, SECONDS, routes))
    return answers, (server.processor_seconds - used) / (WARM_UP_SECONDS + SECONDS)


async def _index(index: Index, progress: Progress) -> Sequence[Rental]:
    """Indexes some rentals and many copies of them; gives those that were executed."""
    engine = open_database(index.database_url)
    try:
        migrate(engine)
        async with open_world(index.chain) as (world, recording):
            parties = await parties_of(world, PARTIES)
            rounds = []
            progress(f"executing {ROUNDS * PARTIES:,} rentals")
            for _ in range(ROUNDS):
                await begin_round(world, parties)
                await end_round(world, parties)
                rounds.append([transaction_from_json(answer) for answer in recording.take()])
                await asyncio.to_thread(ingest, rounds[-1], engine)
        progress(f"copying them {COPIES - 1} times")
        await asyncio.to_thread(_arrive, index, rounds)
        executed = await asyncio.to_thread(_rentals, engine)
        await asyncio.to_thread(copy_ended_rentals, engine, COPIES - 1)
        return executed
    finally:
        engine.dispose()


def _arrive(index: Index, rounds: Sequence[Sequence[Transaction]]) -> None:
    """Leaves what comes in while the API is asked: an event a transaction."""
    coming = chain.from_iterable(continued(*rounds[-2:]))
    many = EVENTS_A_SECOND * (WARM_UP_SECONDS + SECONDS)
    index.arrivals.write_bytes(pickle.dumps(list(islice(coming, many))))


def _rentals(engine: Engine) -> Sequence[Rental]:
    with engine.connect() as connection:
        return [Rental(**row) for row in connection.execute(select(Rental.table)).mappings()]


@asynccontextmanager
async def _served(index: Index, service: str, *options: str) -> AsyncIterator[Server]:
    command = (*GPU_MARKET, service, *options, "--port", str(require_free(0, "API")))
    async with serving(*command, environment=alone(index.chain.parent) | UNLIMITED) as server:
        yield server


async def _until_healthy(url: str) -> None:
    async with httpx.AsyncClient(base_url=url) as client:
        async for attempt in AsyncRetrying(
            stop=stop_after_delay(HEALTHY_SECONDS), wait=wait_fixed(POLL_SECONDS), reraise=True
        ):
            with attempt:
                answer = await client.get("/health")
                if answer.status_code != OK:
                    raise ApiUnhealthy(answer.text)


def _routes(rentals: Sequence[Rental]) -> list[Route]:
    """Requests of a dashboard and of command lines; the job pages are spread over all rentals."""
    step = max(1, len(rentals) // JOBS_ASKED_FOR)
    jobs = [f"/api/jobs/{rental.address}" for rental in rentals[::step]]
    renters = [f"/api/jobs?renter={renter}" for renter in sorted({rental.renter for rental in rentals})]
    states = [f"/api/jobs?status={status}" for status in sorted({rental.status for rental in rentals})]
    listings = [f"/api/marketplace/listings?gpu={gpu.slug}" for gpu in GPU_MODELS]
    listings += [f"/api/marketplace/listings?region={region.slug}&available=true" for region in REGIONS]
    return [
        Route("/api/jobs/{id}", 40, jobs),
        Route("/api/jobs?renter", 15, renters),
        Route("/api/jobs?status", 5, states),
        Route("/api/marketplace/listings", 20, listings),
        Route("/api/gpus", 15, ["/api/gpus"]),
        Route("/api/network", 5, ["/api/network"]),
    ]


def _figures(answers: Sequence[LoadAnswer], used: float, target: int, when: str = "") -> list[Figure]:
    milliseconds = [answer.seconds * 1000 for answer in answers]
    failed = sum(count for status, count in Counter(answer.status for answer in answers).items() if status != OK)
    return [
        Figure(f"p50{when}", percentile(milliseconds, 50), "ms"),
        Figure(f"p99{when}", percentile(milliseconds, 99), "ms", below(target)),
        Figure(f"slowest{when}", max(milliseconds), "ms"),
        Figure(f"requests answered{when}", len(answers) / SECONDS, "/s"),
        Figure(f"requests failed{when}", failed, "requests", at_most(0)),
        Figure(f"processor the server was busy with{when}", used * 100, "%"),
    ]


def _details(answers: Sequence[LoadAnswer], coming: str) -> list[Row]:
    rows: list[Row] = []
    for route in sorted({answer.route for answer in answers}):
        milliseconds = [answer.seconds * 1000 for answer in answers if answer.route == route]
        rows.append(
            {
                "coming in": coming,
                "route": route,
                "requests": len(milliseconds),
                "p50_ms": percentile(milliseconds, 50),
                "p99_ms": percentile(milliseconds, 99),
            }
        )
    return rows
