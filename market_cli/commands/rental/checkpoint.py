"""Runs the renter's command when their machine is about to be preempted."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from solders.pubkey import Pubkey

from anchor_client.market import JobStatus


class Checkpoint:
    """Runs `command` in a shell on every preemption warning; `tell` prints its outcome.

    The command gets the job in GPU_MARKET_JOB and the deadline (unix seconds) in GPU_MARKET_PREEMPT_AT.
    """

    def __init__(self, command: str, tell: Callable[[str], None]) -> None:
        self._command = command
        self._tell = tell
        self._running: list[asyncio.Task[None]] = []

    def see(self, job: Pubkey, status: JobStatus) -> None:
        """Starts the command if a status is a preemption warning."""
        if status.preempt_at is not None:
            self._running.append(asyncio.create_task(self._run(job, status.preempt_at)))

    async def finish(self) -> None:
        """Waits for running commands."""
        await asyncio.gather(*self._running)

    async def _run(self, job: Pubkey, preempt_at: int) -> None:
        told = {"GPU_MARKET_JOB": str(job), "GPU_MARKET_PREEMPT_AT": str(preempt_at)}
        process = await asyncio.create_subprocess_shell(self._command, env={**os.environ, **told})
        code = await process.wait()
        self._tell("The checkpoint command exited" + (f" with code {code}" if code else ""))
