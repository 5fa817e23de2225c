"""Commands that an agent runs on its machine."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, STDOUT
from contextlib import suppress


async def run(*command: str, given: str = "") -> tuple[int, str]:
    """Runs a command; returns its exit code and its output. Cancellation ends it and its children. OSError if it cannot
    be run.
    """
    start = asyncio.create_task(
        asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=STDOUT, start_new_session=True)
    )
    try:
        process = await asyncio.shield(start)
        said, _ = await process.communicate(given.encode())
    except asyncio.CancelledError:
        # Also of one that is being started: to cancel the start would end it without its children.
        process = await start
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()  # its pipe is open as long as anything of its has it
        raise
    return process.returncode or 0, said.decode(errors="replace")
