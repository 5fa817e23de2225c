"""Work beside the event loop that nobody leaves unfinished."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs work in a thread of the event loop; raises what it raises.

    A caller that is cancelled meanwhile leaves once the work has ended: a transaction that outlived it would take its
    connection back to a pool that nobody closes any more.
    """
    running = asyncio.create_task(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise
