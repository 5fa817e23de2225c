"""The subsystem for reading the output of the container's command."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Self

import asyncssh
import structlog

from host_agent.errors import MachineFault
from host_agent.ssh.inside import Inside

LOGS: Final = "gpu-market-logs"
"""Its name, optionally followed by `follow` and `tail=N`."""
FOLLOW: Final = "follow"
TAIL: Final = "tail="
MOST_DIGITS: Final = 9
WRONG: Final = 2
FAILED: Final = 1

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class OutputWanted:
    """The part of the output that a client requests."""

    follow: bool = False
    tail: int | None = None

    @classmethod
    def parse(cls, subsystem: str) -> Self:
        """From the words of a subsystem's name. ValueError."""
        follow = False
        tail = None
        for word in subsystem.split()[1:]:
            digits = word.removeprefix(TAIL)
            if word == FOLLOW:
                follow = True
            elif word.startswith(TAIL) and digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS:
                tail = int(digits)
            else:
                raise ValueError(f"{LOGS} takes {FOLLOW} and {TAIL}N, not {word!r}")
        return cls(follow, tail)

    def subsystem(self) -> str:
        """The words that ask for it."""
        words = [LOGS, *([FOLLOW] if self.follow else []), *([] if self.tail is None else [f"{TAIL}{self.tail}"])]
        return " ".join(words)


async def serve_output(inside: Inside, session: asyncssh.SSHServerProcess[bytes]) -> None:
    """Prints the requested output. Following ends with the container's command."""
    try:
        wanted = OutputWanted.parse(session.subsystem or "")
    except ValueError as error:
        session.stderr.write(f"{error}\n".encode())
        session.exit(WRONG)
        return
    printing = asyncio.create_task(_print(inside, session, wanted))
    leaving = asyncio.create_task(session.wait_closed())
    try:
        await asyncio.wait((printing, leaving), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (printing, leaving):
            task.cancel()
        await asyncio.gather(printing, leaving, return_exceptions=True)


async def _print(inside: Inside, session: asyncssh.SSHServerProcess[bytes], wanted: OutputWanted) -> None:
    try:
        async with aclosing(inside.output(follow=wanted.follow, tail=wanted.tail)) as printed:
            async for data in printed:
                session.stdout.write(data)
                await session.stdout.drain()
    except MachineFault as error:
        session.stderr.write(f"{error.message}\n".encode())
        session.exit(FAILED)
    except (ConnectionError, asyncssh.Error) as error:
        log.debug("output_reader_left", error=str(error))
    else:
        session.exit(0)
