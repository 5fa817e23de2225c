"""Lookups that last longer than whoever asked waits."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading

import pytest

from anchor_client.service import name_lookup
from anchor_client.service.name_lookup import NameLookup
from tests.processes.patience import PATIENCE

ENDS = """
import asyncio, threading
from contextlib import suppress
from anchor_client.service import name_lookup

async def ask():
    with suppress(TimeoutError):
        async with asyncio.timeout(0.01):
            await name_lookup.NameLookup()("a.example", 1)

name_lookup._places = lambda host, port: threading.Event().wait()
asyncio.run(ask())
"""


async def test_lookup__address__is_found_once() -> None:
    lookup = NameLookup()
    assert await lookup("127.0.0.1", 1) == ["127.0.0.1"]
    await lookup.ended()


@pytest.mark.parametrize("host", ["a..example", "a" * 64 + ".example"])
async def test_lookup__of_no_name__is_an_os_error(host: str) -> None:
    with pytest.raises(OSError, match="is no name"):
        await NameLookup()(host, 1)


async def test_lookup__lasts_longer_than_its_caller_waits__has_ended_once_its_thread_has(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    release = threading.Event()

    def places(host: str, port: int) -> list[str]:
        release.wait(PATIENCE)
        raise OSError

    monkeypatch.setattr(name_lookup, "_places", places)
    lookup, calls = NameLookup(), list[str]()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await lookup("a.example", 1)
    lookup.when_ended(lambda: calls.append("ended"))
    ended = asyncio.create_task(lookup.ended())
    await asyncio.sleep(0)
    assert not calls and not ended.done()
    release.set()
    await ended
    assert calls == ["ended"]
    del lookup, ended
    gc.collect()
    assert not caplog.records  # of a failure that nobody has seen


async def test_lookup__not_begun__has_ended() -> None:
    lookup, calls = NameLookup(), list[str]()
    await lookup.ended()
    lookup.when_ended(lambda: calls.append("ended"))
    assert calls == ["ended"]


def test_lookup__without_end__does_not_keep_the_process() -> None:
    subprocess.run([sys.executable, "-c", ENDS], timeout=PATIENCE, check=True)
