"""A remote editor on a rented machine, which it knows by what `gpu-market ssh-config` has written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from xprocess import XProcess

from anchor_client.market import JobState
from tests.e2e.machine.hosts import Host, listed_host, until_state
from tests.e2e.seeded import UpProcess
from tests.host_agent import openssh
from tests.host_agent.docker.engine import TOOLS_IMAGE, OwnEngine
from tests.host_agent.editor.client import Machine
from tests.host_agent.editor.session import works

pytestmark = pytest.mark.docker
GPU = "nvidia-a40-48gb"
HOME = "/home"


@pytest.fixture
def host(engine: OwnEngine, xprocess: XProcess, tmp_path: Path, up: UpProcess) -> Iterator[Host]:
    """A machine with its agent."""
    openssh.require("ssh", "scp", "sftp", "perl", "bash")
    made = listed_host(xprocess, up, engine, tmp_path, "--gpu", GPU, "--price", "2.00")
    made.start()
    yield made
    made.kill()


async def test_remote_editor__by_ssh_config__works_on_the_machine_and_finds_its_server_again(
    host: Host, tmp_path: Path
) -> None:
    job = host.rent("--image", TOOLS_IMAGE, "--env", f"HOME={HOME}", "--name", "edited")
    await until_state(host, job, JobState.RUNNING)
    settings = host.up.console.json("ssh-config")["file"]
    server = await works(Machine(Path(settings), "gpu-edited"), HOME, tmp_path)
    assert str(server) in host.engine.run_in(host.tenant, "sh", "-c", "cat /home/.editor-server/pid")
    host.up.console.run("stop", job)
