"""`gpu-market job verify` on a machine that is not what was listed: a container without the GPU it is paid for."""

from __future__ import annotations

import asyncio
import os
import pty
from asyncio.subprocess import PIPE
from collections.abc import Iterator

import pytest
from xprocess import XProcess

from anchor_client.market import JobState
from tests.e2e.console import SCRIPT
from tests.e2e.machine.hosts import Host, listed_host, until_state
from tests.e2e.seeded import UpProcess
from tests.host_agent.docker.engine import IMAGE, OwnEngine
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.docker
GPU = "nvidia-l40s-48gb"


@pytest.fixture
def host(
    engine: OwnEngine, xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory, up: UpProcess
) -> Iterator[Host]:
    """A machine that is listed with a GPU and has none."""
    made = listed_host(xprocess, up, engine, tmp_path_factory.mktemp("verify"), "--gpu", GPU, "--price", "2.00")
    made.start()
    yield made
    made.kill()


async def answered(host: Host, job: str, answer: str) -> str:
    """Output of `job verify` in a terminal, with its question answered."""
    ours, theirs = pty.openpty()
    words = ("job", "verify", job)
    try:
        running = await asyncio.create_subprocess_exec(
            SCRIPT, *words, env=host.up.console.environment, stdin=theirs, stdout=PIPE
        )
        os.write(ours, f"{answer}\n".encode())
        async with asyncio.timeout(PATIENCE):
            said, _ = await running.communicate()
    finally:
        os.close(ours)
        os.close(theirs)
    assert running.returncode == 1
    return " ".join(said.decode().split())


async def test_verify__machine_without_its_gpu__is_found_out_stopped_and_reported(host: Host) -> None:
    job = host.rent("--image", IMAGE)
    await until_state(host, job, JobState.RUNNING)
    told = host.up.console.json("job", "verify", job, code=1)
    found = {each["what"]: (each["found"], each["agrees"]) for each in told["findings"]}
    assert not told["as_listed"] and found["GPUs"] == ("0 by device", False)
    assert "Stop and report it" in await answered(host, job, "n")
    assert host.job(job)["status"] == "running"
    assert "not-as-listed" in await answered(host, job, "y")
    stopped = host.job(job)
    assert stopped["close_reason"] == "stopped"
    assert [each["issue"] for each in stopped["issues"]] == ["not-as-listed"]
