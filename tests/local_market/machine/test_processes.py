"""Programs that the machines of a local market run on this computer."""

from __future__ import annotations

import asyncio

import psutil

from local_market.machine.processes import LocalProcess
from tests.processes.patience import PATIENCE


async def test_process__left_while_it_prints__has_ended() -> None:
    """Its output is not read any more, and it would not count as ended before it is."""
    async with asyncio.timeout(PATIENCE), LocalProcess.opened(["/bin/sh", "-c", "yes"]) as process:
        output = process._process.stdout
        while not output._paused:  # type: ignore[union-attr]  # noqa: ASYNC110 - more has come than anybody takes
            await asyncio.sleep(0.01)
    assert not psutil.pid_exists(process.group)
