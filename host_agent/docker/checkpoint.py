"""The order's checkpoint command: its last chance to save its work, inside its container."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import structlog

from host_agent.docker.shell import ContainerShell

SCRIPT: Final = """\
if (: >/proc/1/fd/1) 2>/dev/null; then exec >/proc/1/fd/1 2>&1; fi
echo 'gpu-market: the checkpoint begins'
/bin/sh -c "$1"
echo "gpu-market: the checkpoint has ended with $?"
"""
"""Runs the command with its output in the container's own output, so that it appears in the job's log."""


async def run_checkpoint(
    shell: ContainerShell, command: str, seconds: float, log: structlog.stdlib.BoundLogger
) -> None:
    """Runs the command to its end, or ends it after `seconds`. MachineFault."""
    begun = time.monotonic()
    async with shell.process(["/bin/sh", "-c", SCRIPT, "sh", command]) as process:
        await process.begun()
        try:
            async with asyncio.timeout(seconds):
                while await process.read() is not None:
                    pass
        except TimeoutError:
            log.warning("checkpoint_cut_off", seconds=round(seconds))
        else:
            log.info("checkpoint_ended", seconds=round(time.monotonic() - begun, 1))
