"""Commands that an agent runs on its machine."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE, STDOUT


async def run(*command: str, given: str = "") -> tuple[int, str]:
    """A command's exit code and all that it prints; whoever is cancelled ends it. OSError if it cannot be run."""
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=STDOUT)
    try:
        said, _ = await process.communicate(given.encode())
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    return process.returncode or 0, said.decode(errors="replace")
