"""Waiting for something to look at, and trying again."""

from __future__ import annotations

import asyncio

import pytest

from anchor_client.service.backoff import Backoff
from anchor_client.service.pacing import Attempts, holds_within, run_until, wait_or_timeout

LONGEST = 60.0


async def waiting(event: asyncio.Event) -> asyncio.Task[bool]:
    """Someone who waits."""
    task = asyncio.create_task(wait_or_timeout(event, LONGEST))
    await asyncio.sleep(0)
    return task


async def test_wait_or_timeout__event_set__returns_and_waits_anew() -> None:
    event = asyncio.Event()
    task = await waiting(event)
    event.set()
    assert await task
    again = await waiting(event)
    assert not again.done()
    again.cancel()


async def test_wait_or_timeout__event_never_set__ends_after_the_longest() -> None:
    assert not await wait_or_timeout(asyncio.Event(), 0.01)


@pytest.mark.parametrize("steps", range(4))
async def test_wait_or_timeout__set_and_cancelled_together__is_cancelled(steps: int) -> None:
    event = asyncio.Event()
    task = await waiting(event)
    event.set()
    for _ in range(steps):
        await asyncio.sleep(0)
    finished = task.done()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled() or finished


async def test_attempts__failures__are_told_with_growing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anchor_client.service.pacing.UNTIL_DONE", Backoff(0.001, 0.003))
    told: list[tuple[str, float]] = []
    errors = [OSError("first"), OSError("second"), OSError("third")]

    async def work() -> None:
        if errors:
            raise errors.pop(0)

    await Attempts(lambda error, seconds: told.append((str(error), seconds))).until_done(work)
    assert told == [("first", 0.001), ("second", 0.002), ("third", 0.003)]


async def test_attempts__succeeded_in_between__next_failure_waits_as_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anchor_client.service.pacing.UNTIL_DONE", Backoff(0.001, 0.003))
    told: list[float] = []
    attempts = Attempts(lambda _, seconds: told.append(seconds))
    is_well = iter((False, False, True, False))

    async def work() -> int:
        if (well := next(is_well, None)) is None:
            return 7
        if well:
            attempts.succeeded()
        raise OSError

    assert await attempts.until_done(work) == 7
    assert told == [0.001, 0.002, 0.001, 0.002]


async def test_holds_within__in_time_or_not__says_so() -> None:
    answers = iter((False, False, True))

    async def holds() -> bool:
        return next(answers, False)

    assert await holds_within(LONGEST, holds, every=0.0)
    assert not await holds_within(0.0, holds, every=LONGEST)


async def test_run_until__stop_set__cancels_the_work() -> None:
    stop, cancelled = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(LONGEST)
        finally:
            cancelled.set()

    asyncio.get_running_loop().call_later(0.01, stop.set)
    await run_until(stop, work())
    assert cancelled.is_set()


async def test_run_until__work_fails__raises() -> None:
    async def work() -> None:
        raise OSError("lost")

    with pytest.raises(OSError, match="lost"):
        await run_until(asyncio.Event(), work())
