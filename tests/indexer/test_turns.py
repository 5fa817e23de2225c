"""Turns of networks at the API's reads and writes. Invariant IDX-11."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, Engine

from indexer.changes.dispatch import ChangeDispatcher
from indexer.changes.reader import reading_changes
from indexer.status import Status
from indexer.store import progress, transactions
from indexer.store.transactions import WRITERS, Reads, Writes
from indexer.store.turns import HOLDER, NetworkTurns, SharedWork
from tests.processes.patience import PATIENCE

STRANGERS = [f"203.0.113.{host}" for host in range(1, 31)]
HONEST = "198.51.100.1"


@contextmanager
def held_by(holder: str) -> Iterator[None]:
    token = HOLDER.set(holder)
    try:
        yield
    finally:
        HOLDER.reset(token)


def asking(
    among: Reads | Writes, holder: str, done: list[str], last: threading.Event | None = None
) -> asyncio.Task[None]:
    def write(connection: Connection) -> None:
        if last is not None:
            last.wait(PATIENCE)
        done.append(holder)

    with held_by(holder):
        return asyncio.create_task(among(write))


async def test_writes__many_of_one_network__let_others_have_their_turn(sqlite_engine: Engine) -> None:
    done, begun = list[str](), threading.Event()
    with Writes(sqlite_engine) as writes:
        first = [asking(writes, address, done, begun) for address in STRANGERS[: WRITERS + 1]]
        await asyncio.sleep(0)
        others = [asking(writes, address, done) for address in STRANGERS[WRITERS + 1 :]]
        await asyncio.sleep(0)
        honest = [asking(writes, HONEST, done), asking(writes, "", done)]
        await asyncio.sleep(0)
        begun.set()
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*first, *others, *honest)
    assert len(done) == len(STRANGERS) + 2
    # Those under way, and one of the strangers' turns.
    assert {HONEST, ""} <= {*done[: WRITERS + 1 + 3]}


async def test_turns__holder_that_leaves__takes_no_turn_from_others() -> None:
    turns = NetworkTurns(1)
    await turns.begin()
    with held_by(STRANGERS[0]):
        left = [asyncio.create_task(turns.begin()) for _ in range(2)]
    with held_by(HONEST):
        waiting = asyncio.create_task(turns.begin())
    await asyncio.sleep(0)
    left[0].cancel()
    await asyncio.sleep(0)
    turns.pass_on()
    # It has its turn already as it leaves.
    left[1].cancel()
    await asyncio.gather(*left, return_exceptions=True)
    async with asyncio.timeout(PATIENCE):
        await waiting
    turns.pass_on()
    await turns.begin()


async def test_writes__caller_that_leaves__keeps_its_turn_until_its_thread_has_ended(sqlite_engine: Engine) -> None:
    done, begun = list[str](), threading.Event()
    with Writes(sqlite_engine) as writes:
        left = [asking(writes, STRANGERS[0], done, begun) for _ in range(WRITERS + 1)]
        await asyncio.sleep(0)
        later = asking(writes, HONEST, done)
        await asyncio.sleep(0)
        for each in left[:WRITERS]:
            each.cancel()
        await asyncio.gather(*left[:WRITERS], return_exceptions=True)
        begun.set()
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(later, *left[WRITERS:])
    assert HONEST in done


async def test_writes__end_with_some_waiting__are_cancelled(sqlite_engine: Engine) -> None:
    done, begun = list[str](), threading.Event()
    with Writes(sqlite_engine) as writes:
        tasks = [asking(writes, each, done, begun) for each in STRANGERS]
        await asyncio.sleep(0)
        begun.set()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(each, asyncio.CancelledError) for each in ended[WRITERS + 1 :])
    with pytest.raises(RuntimeError):
        await writes(lambda connection: None)


async def test_reads__many_of_one_network__let_others_have_their_turn(
    sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "READERS", 1)  # of several threads a later one may be done first
    done, begun = list[str](), threading.Event()
    with Reads(sqlite_engine) as reads:
        first = [asking(reads, address, done, begun) for address in STRANGERS[:2]]
        await asyncio.sleep(0)
        others = [asking(reads, address, done) for address in STRANGERS[2:]]
        await asyncio.sleep(0)
        honest = asking(reads, HONEST, done)
        await asyncio.sleep(0)
        begun.set()
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*first, *others, honest)
    assert len(done) == len(STRANGERS) + 1 and HONEST in done[:4]


async def test_turns__work_that_another_network_waits_for_too__gets_the_turn_of_that_one() -> None:
    """Whoever has begun it may have many others to do first."""
    turns, order, works = NetworkTurns(1), list[str](), list[SharedWork]()
    await turns.begin()

    async def work(name: str) -> None:
        works.append(SharedWork())
        with works[-1].doing():
            await turns.begin()
        order.append(name)
        turns.pass_on()

    with held_by(STRANGERS[0]):
        tasks = [asyncio.create_task(work(name)) for name in ("first", "second", "wanted")]
    await asyncio.sleep(0)
    with held_by(HONEST):
        works[-1].join()
        works[-1].join()
    turns.pass_on()
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*tasks)
        await turns.begin()
    assert order == ["first", "wanted", "second"]


async def test_dispatch__in_the_request_of_a_crowd__is_not_in_its_turn(
    sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "READERS", 1)
    done, begun = list[str](), threading.Event()

    def told(connection: Connection, program: str) -> None:
        done.append(program)

    monkeypatch.setattr(progress, "progress_of", told)
    changes = ChangeDispatcher("program", Status(), is_told=True)
    with Reads(sqlite_engine) as reads, reading_changes(sqlite_engine, lambda: None) as reader:
        changes.begin(reader, reads)
        progress.write_progress(sqlite_engine, "program", Status())
        first = [asking(reads, address, done, begun) for address in STRANGERS[:2]]
        await asyncio.sleep(0)
        others = [asking(reads, address, done) for address in STRANGERS[2:]]
        await asyncio.sleep(0)
        with held_by(STRANGERS[0]):
            dispatched = asyncio.create_task(changes.dispatch())
        await asyncio.sleep(0)
        begun.set()
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*first, *others, dispatched)
    assert len(done) == len(STRANGERS) + 1 and "program" in done[:4]
