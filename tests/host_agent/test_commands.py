"""Commands of the machine, and what is left of one whose caller goes away."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import psutil
import pytest

from host_agent.commands import run
from tests.indexer.service import until
from tests.processes.patience import PATIENCE


async def test_run__ends_by_itself__tells_its_code_and_all_it_said() -> None:
    assert await run("sh", "-c", "cat; echo wrong >&2; exit 3", given="given ") == (3, "given wrong\n")
    with pytest.raises(FileNotFoundError):
        await run("no-such-command")


@pytest.mark.parametrize("is_starting", [False, True])
async def test_run__cancelled__ends_with_all_that_it_started_and_its_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_starting: bool
) -> None:
    create, is_cancelled = asyncio.create_subprocess_exec, asyncio.Event()

    async def created(*command: str, **options: Any) -> asyncio.subprocess.Process:
        process = await create(*command, **options)
        if is_starting:
            await is_cancelled.wait()
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", created)
    said = tmp_path / "pid"
    command = f"sleep 1000 & echo $! > {said}.new && mv {said}.new {said}; wait"
    running = asyncio.create_task(run("sh", "-c", command))

    async def has_begun() -> bool:
        return said.exists()

    await until(has_begun)
    # Known by its start as well: its number may be another's by then.
    started = psutil.Process(int(said.read_text()))
    open_files = psutil.Process().num_fds()
    running.cancel()
    is_cancelled.set()
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(asyncio.CancelledError):
            await running
    assert psutil.Process().num_fds() < open_files

    async def has_ended() -> bool:
        try:
            return not started.is_running() or started.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    await until(has_ended)
