"""Clients that replay the feed again and again, in a process of their own.

`python -m benchmarks.load.replaying URL CLIENTS NETWORKS`. Each asks for everything there is, reads all of it and
begins anew; one that is refused tries again. When standard input ends it says how many events they have been sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import ClientError, ClientSession, TCPConnector, WSMsgType

from benchmarks.load.process import ROOT

REFUSED_SECONDS = 0.5


@dataclass(slots=True)
class Replayers:
    """The clients in a child process."""

    process: Process
    events: int = 0

    async def end(self) -> None:
        """Asks how many events they were sent."""
        output, _ = await self.process.communicate(b"")
        self.events = int(output)


@asynccontextmanager
async def replaying(url: str, clients: int, networks: int) -> AsyncIterator[Replayers]:
    """So many clients of a feed's URL, of so many networks by what their proxy says, until the context is left."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.load.replaying", url, str(clients), str(networks)),
        cwd=ROOT,
        stdin=PIPE,
        stdout=PIPE,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        await process.stdout.readline()  # the first of them has been sent an event
        yield Replayers(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def replay_once(url: str) -> float:
    """Seconds in which a client of this process is sent everything."""
    begun = time.perf_counter()
    async with ClientSession() as session:
        await _Client(session, url, "198.51.100.1", asyncio.Event()).replay()
    return time.perf_counter() - begun


class _Client:
    def __init__(self, session: ClientSession, url: str, address: str, first: asyncio.Event) -> None:
        self._session = session
        self._url = url
        self._headers = {"X-Forwarded-For": address}
        self._first = first
        self.events = 0

    async def run(self) -> None:
        while True:
            with contextlib.suppress(ClientError):
                await self.replay()
            await asyncio.sleep(REFUSED_SECONDS)

    async def replay(self) -> None:
        """Reads all that there is."""
        async with self._session.ws_connect(self._url, headers=self._headers, max_msg_size=0) as socket:
            async for message in socket:
                if message.type is not WSMsgType.TEXT or '"type":"state"' in message.data:
                    return
                if '"type":"event"' in message.data:
                    self.events += 1
                    self._first.set()


async def _main(url: str, clients: int, networks: int) -> None:
    first = asyncio.Event()
    async with ClientSession(connector=TCPConnector(limit=0)) as session:
        all_of_them = [_Client(session, url, f"198.{number % networks}.0.1", first) for number in range(clients)]
        tasks = [asyncio.create_task(each.run()) for each in all_of_them]
        await first.wait()
        print(flush=True)
        await asyncio.to_thread(sys.stdin.read)
        print(sum(each.events for each in all_of_them), flush=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
