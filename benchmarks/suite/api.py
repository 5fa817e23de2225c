"""Latency of reads at 500 requests a second with 10,000 rentals indexed.

The indexer follows a quiet cluster, and its API answers in a process of its own, as in production; the cluster and the
generator of requests are two more. Latency counts from when a request was due.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from sqlalchemy import Engine, select
from tenacity import AsyncRetrying, stop_after_delay, wait_fixed

from anchor_client.rules.catalog import GPU_MODELS, REGIONS
from benchmarks.figures import Figure, Progress, Report, Row, at_least, at_most, below
from benchmarks.load.process import GPU_MARKET, Server, alone, serving
from benchmarks.load.recording import Recording
from benchmarks.load.requests import Answer, Plan, Route, run_elsewhere
from benchmarks.load.rounds import begin_round, end_round
from benchmarks.load.world import open_world
from benchmarks.percentiles import percentile
from indexer.database import migrate, open_database
from indexer.ingest import ingest
from indexer.models import Rental
from indexer.transaction import transaction_from_json
from local_market.stack.ports import require_free

RENTALS = 10_000
PARTIES = 200
ROUNDS_A_NOTE = 10
RATE = 500
SECONDS = 20
WARM_UP_SECONDS = 3
P99_TARGET = 20
JOBS_ASKED_FOR = 1_000
HEALTHY_SECONDS = 60
POLL_SECONDS = 0.1
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


async def measure(progress: Progress) -> Report:
    """Indexes the rentals, starts cluster and indexer on them, and asks."""
    with tempfile.TemporaryDirectory() as directory:
        index = Index(Path(directory) / "chain", f"sqlite:///{Path(directory) / 'index.db'}")
        rentals = await _index(index, progress)
        async with _served(index) as server:
            progress(f"{RATE} requests a second for {SECONDS} s")
            used = server.processor_seconds
            plan = Plan(server.ready["api_url"], RATE, WARM_UP_SECONDS, SECONDS, _routes(rentals))
            answers = await run_elsewhere(plan)
            used = (server.processor_seconds - used) / (WARM_UP_SECONDS + SECONDS)
    return Report(
        [*_figures(answers), Figure("processor the server was busy with", used * 100, "%")], _details(answers)
    )


async def _index(index: Index, progress: Progress) -> Sequence[Rental]:
    engine = open_database(index.database_url)
    try:
        migrate(engine)
        async with open_world(index.chain) as (world, recording):
            parties = []
            for _ in range(PARTIES):
                parties.append(world.party())
                await asyncio.sleep(0)
            rounds = RENTALS // PARTIES
            for number in range(1, rounds + 1):
                if number % ROUNDS_A_NOTE == 0:
                    progress(f"rental {number * PARTIES:,} of {RENTALS:,}")
                await begin_round(world, parties, together=True)
                if number < rounds:
                    await end_round(world, parties, together=True)
                await asyncio.to_thread(_ingest, recording, engine)
        return await asyncio.to_thread(_rentals, engine)
    finally:
        engine.dispose()


def _ingest(recording: Recording, engine: Engine) -> None:
    ingest(map(transaction_from_json, recording.take()), engine)


def _rentals(engine: Engine) -> Sequence[Rental]:
    with engine.connect() as connection:
        return [Rental(**row) for row in connection.execute(select(Rental.table)).mappings()]


@asynccontextmanager
async def _served(index: Index) -> AsyncIterator[Server]:
    """The API, once it says that the index is complete and agrees with the vaults."""
    async with serving("-m", "localnet", "--json", "--port", "0", "--data", str(index.chain)) as cluster:
        options = ("--json", "--rpc", cluster.ready["rpc"], "--database", index.database_url)
        command = (*GPU_MARKET, "indexer", *options, "--port", str(require_free(0, "API")))
        async with serving(*command, environment=alone(index.chain.parent) | UNLIMITED) as server:
            await _until_healthy(server.ready["api_url"])
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
    """What a dashboard and command lines ask for; the job pages are spread over all rentals."""
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


def _figures(answers: Sequence[Answer]) -> list[Figure]:
    milliseconds = [answer.seconds * 1000 for answer in answers]
    failed = sum(count for status, count in Counter(answer.status for answer in answers).items() if status != OK)
    return [
        Figure("p50", percentile(milliseconds, 50), "ms"),
        Figure("p99", percentile(milliseconds, 99), "ms", below(P99_TARGET)),
        Figure("slowest", max(milliseconds), "ms"),
        Figure("requests answered", len(answers) / SECONDS, "/s"),
        Figure("requests failed", failed, "requests", at_most(0)),
        Figure("rentals indexed", RENTALS, "rentals", at_least(10_000)),
    ]


def _details(answers: Sequence[Answer]) -> list[Row]:
    rows: list[Row] = []
    for route in sorted({answer.route for answer in answers}):
        milliseconds = [answer.seconds * 1000 for answer in answers if answer.route == route]
        rows.append(
            {
                "route": route,
                "requests": len(milliseconds),
                "p50_ms": percentile(milliseconds, 50),
                "p99_ms": percentile(milliseconds, 99),
            }
        )
    return rows
