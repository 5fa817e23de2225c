"""The guard over an engine that fetches an image, by made-up processes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any, cast
from unittest.mock import AsyncMock

import pytest

from anchor_client.orders import Workload
from host_agent.docker import fetch_guard, fetch_turns
from host_agent.docker.engine import Engine
from host_agent.docker.fetch_guard import MOST_GROWTH, FetchGuard
from host_agent.docker.fetch_turns import EngineGrown, FetchTurns
from host_agent.errors import OrderRefused
from host_agent.images.rules import ImageRules
from tests.processes.patience import PATIENCE


def process(proc: Path, number: int, name: str = "dockerd", inside: str = "", memory: int = 0) -> None:
    """Puts a process there; one in a container has a number `inside` too."""
    folder = proc / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "comm").write_text(f"{name}\n")
    (folder / "status").write_text(f"Name:\t{name}\nNSpid:\t{number}\t{inside}\nRssAnon:\t{memory // 1024} kB\n")


async def test_fetch__engine_grows__is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch_guard, "LOOK_SECONDS", 0.0)
    process(tmp_path, 1, memory=2**30)
    process(tmp_path, 2, "containerd")
    guard = FetchGuard(tmp_path)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(PATIENCE), guard.watching():
            process(tmp_path, 2, "containerd", memory=MOST_GROWTH)
            await asyncio.Event().wait()
    assert guard.has_grown


async def test_fetch__tenants_process_of_that_name_grows__goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_guard, "LOOK_SECONDS", 0.0)
    process(tmp_path, 1)
    process(tmp_path, 2, inside="1")
    guard = FetchGuard(tmp_path)
    async with guard.watching():
        process(tmp_path, 2, inside="1", memory=2 * MOST_GROWTH)
        for _ in range(100):
            await asyncio.sleep(0)
    assert not guard.has_grown


@pytest.mark.skipif(not fetch_guard.can_cut(), reason="ss is not installed")
async def test_connections__engine_serves_its_own_interface__are_those_that_it_has_opened(tmp_path: Path) -> None:
    process(tmp_path, os.getpid())
    over = asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await over.wait()
        writer.close()

    async with await asyncio.start_server(hold, "127.0.0.1", 0) as server:
        served = "{}:{}".format(*server.sockets[0].getsockname())
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        opened = "{}:{}".format(*writer.get_extra_info("sockname"))
        found = await FetchGuard(tmp_path)._connections()
        assert served not in {each.local for each in found}
        assert (opened, served) in found
        over.set()
        writer.close()


async def test_fetch__engine_elsewhere__is_left_alone(tmp_path: Path) -> None:
    guard = FetchGuard(tmp_path)
    with pytest.raises(ValueError, match="failed"):
        async with guard.watching():
            raise ValueError("failed")
    assert not guard.has_grown


async def test_pull__memory_filled_by_another_image__is_tried_again_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(cast(Any, None))
    honest, endless = Workload(image="honest"), Workload(image="endless")
    under_way: list[str] = []
    tried: list[list[str]] = []
    both = asyncio.Event()

    async def pull(parts: Workload, rules: ImageRules) -> None:
        under_way.append(parts.image)
        tried.append(list(under_way))
        try:
            if len(tried) == 2:
                both.set()
            await both.wait()
            await asyncio.sleep(0)
            if "endless" in under_way:
                raise EngineGrown
        finally:
            await asyncio.sleep(0)
            under_way.remove(parts.image)

    monkeypatch.setattr(engine, "_pull", pull)
    monkeypatch.setattr(engine, "_require_fit", AsyncMock())
    async with asyncio.timeout(PATIENCE):
        ended = await asyncio.gather(engine.pull(honest), engine.pull(endless), return_exceptions=True)
    assert ended[0] is None and isinstance(ended[1], OrderRefused)
    assert tried[1] == ["honest", "endless"] and sorted(tried[2:]) == [["endless"], ["honest"]]


async def test_pull__another_is_alone_and_slow__waits_no_longer_than_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch_turns, "ALONE_SECONDS", 0.01)
    turns, rules, is_slow = FetchTurns(), ImageRules(), asyncio.Event()
    tries = 0

    async def slow(rules: ImageRules) -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise EngineGrown
        is_slow.set()
        await asyncio.Event().wait()

    async def quick(rules: ImageRules) -> None:
        return

    async with asyncio.timeout(PATIENCE):
        other = asyncio.create_task(turns.fetch("slow", rules, slow))
        await is_slow.wait()
        await turns.fetch("quick", rules, quick)
        assert not other.done()
        other.cancel()
        with pytest.raises(asyncio.CancelledError):
            await other
        await turns.fetch("quick", rules, quick)
