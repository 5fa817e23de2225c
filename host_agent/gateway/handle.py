"""The agent's handle on the gateways of one listing: its next run finds them by their control sockets."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
import structlog

from anchor_client.service.settings import PREFIX
from host_agent.errors import MachineFault
from host_agent.gateway.control import ENDING, peer_of, short_path
from host_agent.gateway.daemon import LOG_ENDING, TAKE_OVER
from host_agent.gateway.documents import (
    MOST_BYTES,
    AskStanding,
    End,
    Opening,
    RenterAdmission,
    Request,
    Standing,
    StartFailure,
    Tell,
    encode,
)

DIRECTORY: Final = "gateways"
PROGRAM: Final = "host_agent.gateway"
ANSWER_SECONDS: Final = 60.0
"""Time for a gateway to answer; one that does not is killed."""
END_SECONDS: Final = 60.0
"""Time for a killed one to end."""
WITHHELD: Final = (PREFIX, "NOTIFY_", "WATCHDOG_", "LISTEN_", "CREDENTIALS_")
"""Beginnings of the names of variables that are the agent's alone: settings, among them secrets, and systemd's."""

log = structlog.get_logger(__name__)


class GatewayHandle:
    """The gateways of one listing: one that takes connections, and former ones that keep theirs."""

    def __init__(self, directory: Path, listing: str) -> None:
        self._directory = directory.resolve()
        self._listing = listing

    async def serve(self, opening: Opening) -> None:
        """Has a gateway serve an opening; one that serves its place already gets the admission alone. MachineFault."""
        standing = await self._tell_all(Tell(opening.admission))
        if standing is not None and standing.place != opening.place:
            await self.end()
            standing = None
        if standing is None:
            try:
                self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                await self._start(encode(opening))
            except OSError as error:
                raise self._fault(error) from error

    async def admit(self, admission: RenterAdmission) -> None:
        """Changes who is let in, if a gateway runs."""
        await self._tell_all(Tell(admission))

    async def end(self) -> None:
        """Ends every connection; the ports are free afterwards."""
        await self._tell_all(End())

    async def standing(self) -> Standing | None:
        """The gateway that takes connections; None without one."""
        return await self._ask(self._current, AskStanding())

    async def hand_over(self) -> Standing:
        """Replaces the gateway by one of the installed version; connections stay. Returns the newer's. MachineFault."""
        await self._start(b"", TAKE_OVER)
        standing = await self.standing()
        if standing is None:
            raise MachineFault(f"The new gateway of {self._listing} has ended", self._remedy)
        return standing

    @property
    def _current(self) -> str:
        return f"{self._listing}{ENDING}"

    @property
    def _remedy(self) -> str:
        return f"Look at {self._directory / self._listing}{LOG_ENDING}."

    def _names(self) -> Sequence[str]:
        found = self._directory.glob(f"{self._listing}*{ENDING}")
        return [path.name for path in found]

    async def _tell_all(self, request: Request) -> Standing | None:
        """Sends a request to every gateway; returns the answer of the one that takes connections."""
        names = self._names()
        answers = await asyncio.gather(*(self._ask(name, request) for name in names))
        return dict(zip(names, answers, strict=True)).get(self._current)

    async def _ask(self, name: str, request: Request) -> Standing | None:
        """The answer of a gateway; None if none runs."""
        loop = asyncio.get_running_loop()
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.setblocking(False)
            try:
                with short_path(self._directory, name) as path:
                    await loop.sock_connect(connection, path)
            except (FileNotFoundError, ConnectionRefusedError):
                (self._directory / name).unlink(missing_ok=True)
                return None
            except OSError as error:
                raise self._fault(error) from error
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    await loop.sock_sendall(connection, encode(request))
                    said = await loop.sock_recv(connection, MOST_BYTES)
            except TimeoutError:
                await self._kill(peer_of(connection)[0])
                return None
            except OSError as error:
                log.warning("gateway_lost", listing=self._listing, error=str(error))
                return None
            if not said:
                return None
            try:
                return msgspec.json.decode(said, type=Standing)
            except msgspec.MsgspecError:
                await self._kill(peer_of(connection)[0])
                return None

    def _fault(self, error: OSError) -> MachineFault:
        return MachineFault(f"The gateway of {self._listing} cannot be reached: {error}", self._remedy)

    async def _kill(self, pid: int) -> None:
        """Kills a gateway; the ports are free afterwards. MachineFault if it does not end."""
        log.error("gateway_killed", listing=self._listing, pid=pid, reason="it does not answer as expected")
        if pid <= 1:  # 0 stands for a process that is out of this one's sight
            return
        try:
            process = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        try:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, signal.SIGKILL)
            await _readable(process)
        except TimeoutError as error:
            raise MachineFault(f"The gateway of {self._listing} does not end", self._remedy) from error
        finally:
            os.close(process)

    async def _start(self, given: bytes, *options: str) -> None:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", PROGRAM, str(self._directory), self._listing, *options),
            stdin=PIPE,
            stdout=PIPE,
            stderr=STDOUT,
            env=_environment(),
        )
        said, _ = await process.communicate(given)
        if process.returncode:
            raise _failure(said, self._remedy)
        log.info("gateway_started", listing=self._listing)


def served_listings(directory: Path) -> Sequence[str]:
    """Listings with a gateway in a directory, or with what a killed one has left."""
    names = (path.name.removesuffix(ENDING) for path in directory.glob(f"*{ENDING}"))
    return sorted(name for name in names if "." not in name)


async def _readable(process: int) -> None:
    """Waits for the descriptor of a process: it is readable once the last of its threads has ended. TimeoutError."""
    loop = asyncio.get_running_loop()
    has_ended = asyncio.Event()
    loop.add_reader(process, has_ended.set)
    try:
        async with asyncio.timeout(END_SECONDS):
            await has_ended.wait()
    finally:
        loop.remove_reader(process)


def _environment() -> Mapping[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(WITHHELD)}


def _failure(said: bytes, remedy: str) -> MachineFault:
    """The reason that a gateway has given, or its last words."""
    try:
        failure = msgspec.json.decode(said, type=StartFailure)
    except msgspec.MsgspecError:
        last = said.decode(errors="replace").strip().splitlines() or ["it says nothing"]
        return MachineFault(f"A tenancy's gateway did not start: {last[-1]}", remedy)
    return MachineFault(failure.message, failure.remedy)
