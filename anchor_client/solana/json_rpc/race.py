"""The next node is asked when one fails, or is slower than usual, and a single one once more; the first answer wins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from anchor_client.service.errors import GpuMarketError
from anchor_client.solana.json_rpc.refusals import may_differ, may_pass

T = TypeVar("T")
Ask = Callable[[], Coroutine[Any, Any, T]]


async def race(asks: Sequence[Ask[T]], slow_after: float | None, on_hedge: Callable[[int], object]) -> T:
    """The first answer. The next is begun when one fails in a way that another may not, and once after `slow_after`.

    `on_hedge` gets the one that was begun because of slowness. The others are given up. Raises what no other node
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


async def persist(ask: Ask[T], every: float, on_hedge: Callable[[], object]) -> T:
    """The first answer of one node, which after `every` seconds is asked once more, and again after as long.

    `on_hedge` is told each time. The first call continues: what a slow node answers comes by it, what one that
    hung has forgotten by another. Raises what the first raises.
    """
    first = asyncio.create_task(ask())
    tasks = [first]
    try:
        done, _ = await asyncio.wait(tasks, timeout=every)
        if not done:
            tasks.append(asyncio.create_task(_repeated(ask, every, on_hedge)))
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        # An answer, where both end at once.
        return next((task for task in done if task is not first), first).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _repeated(ask: Ask[T], every: float, on_hedge: Callable[[], object]) -> T:
    clock = asyncio.get_running_loop()
    while True:
        on_hedge()
        until = clock.time() + every
        try:
            async with asyncio.timeout_at(until):
                return await ask()
        except (GpuMarketError, TimeoutError):
            # The node's counts have it, and the first call says what is raised.
            await asyncio.sleep(max(0.0, until - clock.time()))


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
