"""Faults of the machine under an index: how soon /health tells, and how soon the index has recovered. Invariant IDX-1.

docs/assurance.md has the table.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from signal import SIGKILL
from threading import Event, Thread

import httpx
import pytest
from solders.pubkey import Pubkey
from sqlalchemy import Engine, func, select
from xprocess import XProcess

from indexer.index import follow
from indexer.index.sources import history
from indexer.models import Cursor, RawEvent
from indexer.store.database import migrate, open_database
from localnet.server import LocalCluster
from tests.indexer import redis
from tests.indexer.databases import POSTGRES, SQLITE
from tests.indexer.proof.killed import take_in
from tests.indexer.proof.own_postgres import OwnPostgres, own_postgres
from tests.indexer.proof.test_fault_times import LASTS_SECONDS, equal, error_of, report, row
from tests.indexer.service import indexed, until, until_status
from tests.markets.recorded import Market
from tests.program.harness.flows import running

pytestmark = pytest.mark.faults
HITS, MANY = 20, 100
AHEAD = 20
"""Rounds that the chain advances by for each process that is to be killed: more than it takes in."""
AWAY_SECONDS = 60.0
HOUR = 3_600.0
DISK_MB = 48

_processes = get_context("forkserver")
_processes.set_forkserver_preload([take_in.__module__])


def rounds(market: Market, count: int) -> None:
    """Rentals that are run and stopped, one after the other, of a machine that was just heard from."""
    market.beat()
    renter = market.renter()
    for _ in range(count):
        rental = running(market, renter, listing=market.listings[0])
        market.act(market.stop_rental(rental))


def events_in(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(connection.execute(select(func.count()).select_from(RawEvent.table)).scalar_one())


def newest_in(engine: Engine) -> str:
    """Signature of the last transaction that an index has taken in."""
    with engine.connect() as connection:
        return str(connection.execute(select(Cursor.c.signature)).scalar_one())


def committed(server: OwnPostgres) -> str:
    """The same of an index on a server that was killed."""
    [signature] = re.findall(r'signature = "(\w+)"', server.ask("SELECT signature FROM cursor"))
    return str(signature)


def begun(market: Market) -> Pubkey:
    return running(market, market.renter(), listing=market.list_machine())


async def seconds_until_told(api: httpx.AsyncClient) -> float:
    """Seconds until /health names an error or answers 503."""
    began = time.monotonic()

    async def is_told() -> bool:
        answer = await api.get("/health")
        return answer.status_code == 503 or answer.json()["last_error"] is not None

    await until(is_told)
    return time.monotonic() - began


async def seconds_until_ended(api: httpx.AsyncClient, rental: Pubkey) -> float:
    """Seconds until a rental is shown as ended, and /health names no error."""
    began = time.monotonic()
    await until_status(api, str(rental), "completed")
    seconds = time.monotonic() - began
    await until_well(api)
    return seconds


async def until_well(api: httpx.AsyncClient) -> None:
    """Waits until /health names no error, and is ok but for a small disk."""

    async def is_well() -> bool:
        told = (await api.get("/health")).json()
        return told["last_error"] is None and told["status"] != "starting"

    await until(is_well)


async def until_more(engine: Engine, events: int) -> None:
    """Waits until an index has more events."""

    async def has_more() -> bool:
        return await asyncio.to_thread(events_in, engine) > events

    await until(has_more)


@pytest.fixture
def server() -> Iterator[OwnPostgres]:
    with own_postgres() as server:
        yield server


@pytest.mark.parametrize("kind", [SQLITE, POSTGRES])
async def test_ingestion__killed_again_and_again__has_the_same_tables_in_the_end(
    request: pytest.FixtureRequest, local: LocalCluster, live: Market, tmp_path: Path, kind: str
) -> None:
    url = f"sqlite:///{tmp_path / 'index.db'}" if kind == SQLITE else request.getfixturevalue("server").url
    engine = open_database(url)
    migrate(engine)
    await asyncio.to_thread(_load_modules)
    hits = 0
    took = 0.0
    while hits < HITS:
        rounds(live, AHEAD)
        before = events_in(engine)
        began = time.monotonic()
        process = _processes.Process(target=take_in, args=(local.http_url, url))
        process.start()
        await until_more(engine, before)
        took = max(took, time.monotonic() - began)
        await asyncio.sleep(random.uniform(0, 0.02))
        process.kill()
        process.join()
        # One that had taken in everything was not killed in the middle of it.
        hits += process.exitcode == -SIGKILL and newest_in(engine) != str(live.records[-1].signature)
    async with indexed(local, url) as api:
        await until_well(api)
    # Twenty processes start one after the other: the slowest start of them says how busy the machine was.
    row(f"SIGKILL in mid-ingestion, {hits} times, {kind}", None, took)
    await equal(local, url, tmp_path)
    assert newest_in(engine) == str(live.records[-1].signature), "the last is what each was killed before"
    engine.dispose()


def _load_modules() -> None:
    """Starts what forks the processes: none of them loads its modules then."""
    process = _processes.Process(target=id, args=(None,))
    process.start()
    process.join()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("away", [0.0, AWAY_SECONDS])
async def test_postgres__gone_in_mid_ingestion__is_told_and_caught_up_with(
    local: LocalCluster, live: Market, server: OwnPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, away: float
) -> None:
    monkeypatch.setattr(follow, "BATCH", 1)
    monkeypatch.setattr(history, "CHUNK", 1)
    rental = begun(live)
    rounds(live, MANY)
    engine = open_database(server.url)
    async with indexed(local, server.url) as api:
        await until_more(engine, 0)
        engine.dispose()
        await asyncio.to_thread(server.kill)
        done, known = await asyncio.to_thread(committed, server), [str(record.signature) for record in live.records]
        assert done in known[:-1], "it was killed between its first commit and its last"
        told = None
        if away:
            told = await seconds_until_told(api)
            live.act(live.stop_rental(rental))
            await asyncio.sleep(away)
        else:
            live.act(live.stop_rental(rental))
        await asyncio.to_thread(server.start)
        began = time.monotonic()
        await until_more(engine, await asyncio.to_thread(events_in, engine))
        back = time.monotonic() - began
        await seconds_until_ended(api, rental)
        assert newest_in(engine) == str(live.records[-1].signature)
    engine.dispose()
    report("PostgreSQL away for a minute" if away else "PostgreSQL restarted in mid-ingestion", told, back)
    await equal(local, server.url, tmp_path)


async def test_disk__full__is_told_and_caught_up_with(local: LocalCluster, live: Market, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        url = f"sqlite:///{disk / 'index.db'}"
        async with indexed(local, url) as api:
            rental = begun(live)
            await until_status(api, str(rental), "running")
            await until_well(api)
            fill(disk / "other")
            live.act(live.stop_rental(rental))
            began = time.monotonic()

            async def is_told() -> bool:
                return await error_of(api) is not None

            await until(is_told)
            told = time.monotonic() - began
            assert "full" in str(await error_of(api))
            await asyncio.sleep(max(0.0, LASTS_SECONDS - told))
            (disk / "other").unlink()
            back = await seconds_until_ended(api, rental)
        report("disk full", told, back)
        await equal(local, url, tmp_path)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of a few megabytes."""
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root mounts a small disk")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "none", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(path: Path) -> None:
    """Takes all that is left."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        for size in (2**20, 2**12):
            with suppress(OSError):
                while True:
                    file.write(bytes(size))


@pytest.mark.parametrize("workers", [0, 1])
async def test_sqlite__locked_by_another__is_told_and_caught_up_with(
    local: LocalCluster, live: Market, tmp_path: Path, workers: int
) -> None:
    url = f"sqlite:///{tmp_path / 'index.db'}"
    async with indexed(local, url, workers) as api:
        rental = begun(live)
        await until_status(api, str(rental), "running")
        await until_well(api)
        with locked(tmp_path / "index.db"):
            live.act(live.stop_rental(rental))
            told = await seconds_until_told(api)
            said = str(await error_of(api))
            await asyncio.sleep(max(0.0, LASTS_SECONDS - told))
        back = await seconds_until_ended(api, rental)
    report(f"SQLite locked by another process, {workers} workers", told, back, said)
    await equal(local, url, tmp_path)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """The turn to write is somebody else's."""
    taken, ended = Event(), Event()

    def hold() -> None:
        connection = sqlite3.connect(path, isolation_level=None, timeout=60)
        connection.execute("BEGIN IMMEDIATE")
        taken.set()
        ended.wait()
        connection.execute("ROLLBACK")
        connection.close()

    holder = Thread(target=hold)
    holder.start()
    taken.wait()
    try:
        yield
    finally:
        ended.set()
        holder.join()


@pytest.mark.parametrize("hours", [-1, 1])
async def test_clock__an_hour_off__changes_nothing(
    local: LocalCluster, live: Market, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    url, real = f"sqlite:///{tmp_path / 'index.db'}", time.time
    async with indexed(local, url) as api:
        rental = begun(live)
        await until_status(api, str(rental), "running")
        monkeypatch.setattr(time, "time", lambda: real() + hours * HOUR)
        live.act(live.stop_rental(rental))
        back = await seconds_until_ended(api, rental)
        health = (await api.get("/health")).json()
        assert health["status"] == "ok" and health["lag_seconds"] < HOUR / 2
        assert abs(health["chain_time"] - local.cluster.clock.unix_timestamp) < HOUR / 2
        monkeypatch.undo()
        later = begun(live)
        await until_status(api, str(later), "running")
    report(f"the clock {hours:+} hour", None, back)
    await equal(local, url, tmp_path)


async def test_redis__away__refuses_nobody(
    xprocess: XProcess, local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'index.db'}"
    with redis.server(xprocess, redis.require(), tmp_path) as limits_url:
        stack = indexed(local, url, limits_url=limits_url)
        api = await stack.__aenter__()
        rental = begun(live)
        await until_status(api, str(rental), "running")
    try:
        live.act(live.stop_rental(rental))
        back = await seconds_until_ended(api, rental)
        assert (await api.get("/health")).json()["status"] == "ok"
    finally:
        await stack.__aexit__(None, None, None)
    report("Redis away", None, back)
    await equal(local, url, tmp_path)
