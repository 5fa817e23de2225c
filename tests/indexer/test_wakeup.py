"""Waiting for something to look at."""

from __future__ import annotations

import asyncio

import pytest

from indexer.sources.wakeup import WakeUp

LONGEST = 60.0


async def waiting(wakeup: WakeUp) -> asyncio.Task[None]:
    """A follower that waits."""
    task = asyncio.create_task(wakeup.wait(LONGEST))
    await asyncio.sleep(0)
    return task


@pytest.fixture
def wakeup() -> WakeUp:
    return WakeUp("ws://127.0.0.1:1", "program", "confirmed")


async def test_wait__woken__returns_and_waits_anew(wakeup: WakeUp) -> None:
    task = await waiting(wakeup)
    wakeup.wake()
    await task
    again = await waiting(wakeup)
    assert not again.done()
    again.cancel()


async def test_wait__nobody_wakes__ends_after_the_longest(wakeup: WakeUp) -> None:
    await wakeup.wait(0.01)


@pytest.mark.parametrize("steps", range(4))
async def test_wait__woken_and_cancelled_together__is_cancelled(wakeup: WakeUp, steps: int) -> None:
    task = await waiting(wakeup)
    wakeup.wake()
    for _ in range(steps):
        await asyncio.sleep(0)
    finished = task.done()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled() or finished
