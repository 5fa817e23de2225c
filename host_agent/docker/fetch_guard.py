"""Guard over the Docker engine while it fetches an image. An engine reads an image's configuration into its memory, as
much as the registry sends, and continues after the fetch has ended: then only its connections can be cut.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from host_agent.commands import run

PROC: Final = Path("/proc")
PROGRAMS: Final = ("dockerd", "containerd")
MOST_GROWTH: Final = 512 * 2**20
"""Bytes by which the engine's memory may grow during one fetch: it takes several times a configuration's size."""
LOOK_SECONDS: Final = 0.2
KIB: Final = 1_024
TOOL: Final = "ss"
SOCKETS: Final = (TOOL, "--tcp", "--numeric", "--processes", "--no-header", "state")
SOCKET: Final = re.compile(r"(\S+):(\S+)\s+(\S+:\S+)\s+users:\((.+)\)")
PROCESS: Final = re.compile(r"pid=(\d+)")

log = structlog.get_logger(__name__)


def can_cut() -> bool:
    """True if there is the tool that cuts connections."""
    return shutil.which(TOOL) is not None


class EngineConnection(NamedTuple):
    """A TCP connection, by its addresses as `ss` writes them."""

    local: str
    remote: str


class FetchGuard:
    """Guard over one fetch."""

    def __init__(self, proc: Path = PROC) -> None:
        self.has_grown = False
        """True once the engine's memory has grown too much."""
        self._processes = list(_processes(proc))

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Ends the fetch within by TimeoutError once the engine's memory has grown too much. After one that fails, cuts
        the connections that the engine has made meanwhile.
        """
        before = await self._connections()
        try:
            async with asyncio.timeout(None) as until_grown:
                watch = asyncio.create_task(self._watch(until_grown, _memory(self._processes)))
                try:
                    yield
                finally:
                    watch.cancel()
                    await asyncio.wait([watch])
        except BaseException:
            await _cut(await self._connections() - before)
            raise

    async def _watch(self, until_grown: asyncio.Timeout, before: int) -> None:
        while _memory(self._processes) - before < MOST_GROWTH:  # noqa: ASYNC110 - the engine is elsewhere
            await asyncio.sleep(LOOK_SECONDS)
        self.has_grown = True
        until_grown.reschedule(asyncio.get_running_loop().time())

    async def _connections(self) -> set[EngineConnection]:
        """Those that the engine has opened itself, as far as this process may see them: those of another user need
        CAP_SYS_PTRACE.
        """
        if not self._processes:
            return set()
        try:
            served = {found[2] for found in await self._sockets("listening")}
            opened = [found for found in await self._sockets("established") if found[2] not in served]
        except OSError:
            return set()
        return {EngineConnection(f"{found[1]}:{found[2]}", found[3]) for found in opened}

    async def _sockets(self, state: str) -> list[re.Match[str]]:
        """The engine's in a state, as the tool prints them."""
        _, said = await run(*SOCKETS, state)
        own = {process.name for process in self._processes}
        found = filter(None, map(SOCKET.search, said.splitlines()))
        return [each for each in found if not own.isdisjoint(PROCESS.findall(each[4]))]


async def _cut(connections: Collection[EngineConnection]) -> None:
    for each in connections:
        with suppress(OSError):
            status, said = await run(TOOL, "--kill", "--tcp", "--no-header", "src", each.local, "dst", each.remote)
            log.info("engine_connection_cut", remote=each.remote, worked=status == 0 and each.remote in said)


def _processes(proc: Path) -> Iterator[Path]:
    """The engine's processes; not those of that name in a container, which have a number there too."""
    for file in proc.glob("[0-9]*/comm"):
        with suppress(OSError):
            if file.read_text().strip() in PROGRAMS and len(_status(file.parent)["NSpid"].split()) == 1:
                yield file.parent


def _memory(processes: Sequence[Path]) -> int:
    """Bytes of memory that processes have filled."""
    found = 0
    for process in processes:
        with suppress(OSError, KeyError):
            found += int(_status(process)["RssAnon"].split()[0]) * KIB
    return found


def _status(process: Path) -> dict[str, str]:
    return dict(line.split(":", 1) for line in (process / "status").read_text().splitlines() if ":" in line)
