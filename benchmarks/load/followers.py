"""Followers of the feed, in a process of their own: `python -m benchmarks.load.followers URL CLIENTS`.

Once all are connected it says how many were greeted; when standard input ends, when each of them heard of each
transaction (milliseconds since 1970), and how many are still connected.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from benchmarks.load.process import ROOT

AT_ONCE: Final = 50
"""That connect at the same time."""
LINE_BYTES: Final = 64 * 1024 * 1024


class _Told(msgspec.Struct):
    type: str
    tx: str | None = None


@dataclass(slots=True)
class Followers:
    """Clients of a feed in a child process."""

    process: Process
    greeted: int
    held: int = 0
    heard: dict[str, list[float]] = field(default_factory=dict)
    """When each client heard of a transaction, by its signature; seconds since 1970."""

    async def end(self) -> None:
        """Asks what they have heard."""
        output, _ = await self.process.communicate(b"")
        told = json.loads(output)
        self.held = told["held"]
        self.heard = {tx: [at / 1_000 for at in times] for tx, times in told["heard"].items()}


@asynccontextmanager
async def following(url: str, clients: int) -> AsyncIterator[Followers]:
    """So many clients of a feed's URL, once all have been greeted."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.load.followers", url, str(clients)),
        cwd=ROOT,
        stdin=PIPE,
        stdout=PIPE,
        limit=LINE_BYTES,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        yield Followers(process, int(await process.stdout.readline() or 0))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _follow(socket: ClientConnection, heard: dict[str, list[int]]) -> None:
    """Records each transaction as it arrives, until the server hangs up."""
    try:
        async for text in socket:
            told = msgspec.json.decode(text, type=_Told)
            if told.tx is not None:
                heard[told.tx].append(round(time.time() * 1_000))
    except ConnectionClosed:
        pass


async def _main(url: str, clients: int) -> None:
    heard: dict[str, list[int]] = defaultdict(list)
    room = asyncio.Semaphore(AT_ONCE)
    async with AsyncExitStack() as stack:

        async def enter() -> ClientConnection:
            async with room:
                socket = await stack.enter_async_context(
                    connect(url, open_timeout=60, ping_interval=None, close_timeout=0.1, compression=None)
                )
                await socket.recv()
                return socket

        sockets = await asyncio.gather(*(enter() for _ in range(clients)), return_exceptions=True)
        open_ones = [socket for socket in sockets if isinstance(socket, ClientConnection)]
        tasks = [asyncio.create_task(_follow(socket, heard)) for socket in open_ones]
        print(len(open_ones), flush=True)
        await asyncio.to_thread(sys.stdin.read)
        held = sum(not task.done() for task in tasks)
        for task in tasks:
            task.cancel()
        print(json.dumps({"held": held, "heard": heard}), flush=True)
        for socket in open_ones:
            socket.transport.abort()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2])))
