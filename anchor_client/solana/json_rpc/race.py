"""The next node is asked when one fails, or is slower than usual; the first answer wins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from anchor_client.solana.json_rpc.refusals import may_differ, may_pass

T = TypeVar("T")
Ask = Callable[[], Coroutine[Any, Any, T]]


async def race(asks: Sequence[Ask[T]], slow_after: float | None, on_hedge: Callable[[int], object]) -> T:
    """The first answer. The next is begun when one fails in a way that another may not, and once after `slow_after`.

    `on_hedge` is told which one was begun for slowness. The others are given up. Raises what no other node
    would change, or else, when all have failed, what may pass.
    """
    begun = 0
    running: set[asyncio.Task[T]] = set()
    failures: list[BaseException] = []
    try:
        while True:
            if not running:
                if begun == len(asks):
                    raise next(filter(may_pass, failures), failures[-1])
                running.add(asyncio.create_task(asks[begun]()))
                begun += 1
            patience = slow_after if begun < len(asks) else None
            done, running = await asyncio.wait(running, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                slow_after = None
                on_hedge(begun)
                running.add(asyncio.create_task(asks[begun]()))
                begun += 1
            for task in done:
                error = task.exception()
                if error is None:
                    return task.result()
                if not may_differ(error):
                    raise error
                failures.append(error)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def first_of(asks: Sequence[Ask[T]], keep: Callable[[asyncio.Task[T]], object]) -> T:
    """Begins all at once and gives the first answer; the others go on, which `keep` is to see to.

    When all have failed, raises what no other node would change before what may pass.
    """
    tasks = [asyncio.create_task(ask()) for ask in asks]
    for task in tasks:
        keep(task)
    failures: list[BaseException] = []
    for coming in asyncio.as_completed(tasks):
        try:
            return await coming
        except Exception as error:
            failures.append(error)
    raise next((error for error in failures if not may_differ(error)), failures[0])
