"""Clients that have missed events take turns, a page each, and the event loop rests between them. Invariant IDX-15."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import Engine

from indexer.api.feed import replays, turns
from indexer.api.feed.log import Position
from indexer.api.feed.replays import ReplayReader
from indexer.api.feed.subscriber import Subscriber
from indexer.api.feed.turns import MILLISECONDS, TURN_MILLISECONDS, PageTurns
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.models import Intake
from indexer.settings import IndexerSettings
from tests.indexer.tables import only
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE
from tests.program.harness.flows import running

CLIENTS = ("198.51.0.0/16", "203.0.113.0/24", "192.0.2.0/24")


class LoopClock:
    """The event loop's clock and timers, which a test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Callable[[], None]]] = []
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "time", lambda: self.now)
        monkeypatch.setattr(loop, "call_later", self._call_later)

    def _call_later(self, seconds: float, act: Callable[[], None]) -> asyncio.TimerHandle:
        self.timers.append((seconds, act))
        return asyncio.TimerHandle(self.now + seconds, act, (), asyncio.get_running_loop())


async def settle() -> None:
    """Has every task come as far as it can."""
    for _ in range(9):
        await asyncio.sleep(0)


async def _take(turns: PageTurns, name: str, begun: list[str], end: asyncio.Event, read: bool = True) -> None:
    async with turns.turn() as turn:
        begun.append(name)
        if read:
            turn.limit()
        await end.wait()


def _began(turns: PageTurns, names: Sequence[str], begun: list[str]) -> tuple[list[asyncio.Event], list[Any]]:
    ends = [asyncio.Event() for _ in names]
    return ends, [asyncio.ensure_future(_take(turns, name, begun, end)) for name, end in zip(names, ends, strict=True)]


async def test_replays__of_many_networks__are_sent_a_page_at_a_time_in_turns(
    market: Market, sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    running(market, market.renter(), listing=market.listings[0])
    ingest(market.transactions(), sqlite_engine)
    intake = only(sqlite_engine, Intake)
    monkeypatch.setattr(replays, "PAGE", 4)
    monkeypatch.setattr(turns, "TURN_MILLISECONDS", PATIENCE * MILLISECONDS)
    seen: list[str] = []
    asked, all_wait = set[str](), asyncio.Event()
    after, turn = ReplayReader.after, ReplayReader.turn

    def asking(reader: ReplayReader, client: str) -> Any:
        asked.add(client)
        if len(asked) == len(CLIENTS):
            all_wait.set()
        return turn(reader, client)

    async def noted(reader: ReplayReader, *given: Any) -> Any:
        seen.append("read")
        await all_wait.wait()
        return await after(reader, *given)

    monkeypatch.setattr(ReplayReader, "after", noted)
    monkeypatch.setattr(ReplayReader, "turn", asking)
    app = create_app(IndexerSettings(), engine=sqlite_engine)

    async def replay(client: str) -> None:
        async for text in app.state.feed.follow(Subscriber({"all"}), Position(intake.id, 0), client):
            await asyncio.sleep(0)  # whoever could get a page meanwhile would
            if b'"type":"event"' in text:
                seen.append(client)
            if f"-{intake.last}".encode() in text:
                return

    async with app.router.lifespan_context(app), asyncio.timeout(PATIENCE):
        await asyncio.gather(*(replay(client) for client in CLIENTS))
    pages = _split(seen)
    assert all(len({*page}) == 1 for page in pages), "a page is of one client"
    order = [page[0] for page in pages]
    first = order[: len(CLIENTS)]
    rounds = len(order) // len(CLIENTS)
    assert {*first} == {*CLIENTS} and rounds > 2 and order == first * rounds


def _split(seen: Sequence[str]) -> list[list[str]]:
    pages: list[list[str]] = []
    for each in seen:
        if each == "read":
            pages.append([])
        else:
            pages[-1].append(each)
    return pages


async def test_turns__others_wait__the_loop_rests_as_long_as_the_page_took(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, order, begun = LoopClock(monkeypatch), PageTurns(), list[str]()
    ends, tasks = _began(order, ("one", "other"), begun)
    await settle()
    assert begun == ["one"]
    clock.now, clock.timers = 0.03, []
    ends[0].set()
    await settle()
    [(rest, go_on)] = clock.timers
    assert (begun, rest) == (["one"], 0.03)
    go_on()
    await settle()
    assert begun == ["one", "other"]
    ends[1].set()
    await asyncio.gather(*tasks)


async def test_turns__nobody_else_waits__follow_each_other_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, order = LoopClock(monkeypatch), PageTurns()
    for _ in range(3):
        async with order.turn():
            clock.now += 1
    assert not clock.timers


async def test_turn__page_is_not_taken__ends_by_the_clock_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, order, begun = LoopClock(monkeypatch), PageTurns(), list[str]()
    ends, tasks = _began(order, ("stuck", "other", "third"), begun)
    await settle()
    [(limit, end)] = clock.timers
    assert (begun, limit) == (["stuck"], TURN_MILLISECONDS / MILLISECONDS)
    end()
    clock.timers.pop()[1]()  # the rest
    await settle()
    assert begun == ["stuck", "other"]
    ends[0].set()  # it takes its page after all, and ends no turn of another
    await settle()
    assert begun == ["stuck", "other"]
    for each in ends:
        each.set()
    await settle()
    clock.timers.pop()[1]()
    await asyncio.gather(*tasks)
    assert begun == ["stuck", "other", "third"]


async def test_turn__client_leaves_while_it_waits__is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    LoopClock(monkeypatch)
    order, begun = PageTurns(), list[str]()
    ends, tasks = _began(order, ("one", "gone", "other"), begun)
    await settle()
    tasks[1].cancel()
    tasks[2].cancel()
    await settle()
    ends[0].set()
    await tasks[0]
    async with asyncio.timeout(PATIENCE), order.turn():
        assert begun == ["one"]
