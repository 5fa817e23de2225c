"""A server in a child process, which says on its first line of standard output that it is ready."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[2]
GPU_MARKET = ("-c", "from market_cli.console import run; run()")
"""The arguments with which Python is the command line of the product."""
READY_SECONDS = 60.0
STOP_SECONDS = 20.0
LAST_WORDS = 2_000


class ServerFailed(RuntimeError):
    """A server ended, or said nothing, before it was ready."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server and its ready line."""

    process: Process
    ready: dict[str, Any]

    @property
    def resident_bytes(self) -> int:
        """Memory that it and its children hold."""
        return sum(process.memory_info().rss for process in self._processes())

    @property
    def processor_seconds(self) -> float:
        """Processor time that it and its children have used, however busy the machine was."""
        times = [process.cpu_times() for process in self._processes()]
        return sum(float(time.user + time.system) for time in times)

    def _processes(self) -> list[psutil.Process]:
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]


@asynccontextmanager
async def serving(*arguments: str, environment: Mapping[str, str] | None = None) -> AsyncIterator[Server]:
    """Runs `python *arguments` until the context is left, then has it stop by itself. ServerFailed."""
    with tempfile.TemporaryFile() as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdout=PIPE,
            stderr=errors,
            start_new_session=True,
        )
        try:
            yield Server(process, await _ready_line(process, errors.fileno(), arguments))
        finally:
            await _stop(process)


def alone(home: Path) -> dict[str, str]:
    """The environment for a command line that finds nothing of the user's configuration, and leaves nothing in it."""
    folders = {name: str(home / name.lower()) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    return {"HOME": str(home), "XDG_RUNTIME_DIR": str(home), **folders}


async def _ready_line(process: Process, errors: int, arguments: tuple[str, ...]) -> dict[str, Any]:
    assert process.stdout is not None
    try:
        async with asyncio.timeout(READY_SECONDS):
            line = await process.stdout.readline()
        ready: dict[str, Any] = json.loads(line)
    except (TimeoutError, json.JSONDecodeError) as error:
        words = os.pread(errors, 2**20, 0)[-LAST_WORDS:].decode(errors="replace")
        raise ServerFailed(f"{' '.join(arguments)} did not get ready: {words}") from error
    return ready


async def _stop(process: Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
