"""`gpu-market up --docker`: this computer as a machine of its own market, with a real Docker engine."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from solders.pubkey import Pubkey

from host_agent.docker.container import LISTING, TENANT, name_of
from tests.e2e.console import Console
from tests.e2e.seeded import UpProcess
from tests.host_agent.docker.engine import IMAGE, OwnEngine
from tests.indexer.service import until
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.docker
StartUp = Callable[..., UpProcess]


async def test_up_docker__ended_while_an_order_runs__wipes_it_and_goes_on_at_the_next_start(
    engine: OwnEngine, start_up: StartUp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine.url)
    console = Console(tmp_path)
    volumes = engine.names("volume", "ls")
    first = start_up(console, tmp_path / "market", "--docker")
    listing = first.ready["own_machine"]
    order = ("rent", "--listing", listing, "--duration", "1h", "--pay", "USDC", "--image", IMAGE, "--wait")
    job = console.lines(*order)[0]["id"]
    assert console.run("exec", job, "--", "cat", "/etc/hostname").stdout
    assert name_of(Pubkey.from_string(listing), TENANT) in engine.names("ps")
    process = psutil.Process(first.pid)
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)
    own = ("--quiet", "--filter", f"label={LISTING}={listing}")
    assert engine.docker("ps", "--all", *own) == engine.docker("network", "ls", *own) == ""
    assert engine.names("volume", "ls") <= volumes

    second = start_up(console, tmp_path / "market", "--docker")
    assert second.ready["own_machine"] == listing

    async def is_refunded() -> bool:
        ended = console.json("job", job)
        return ended["close_reason"] == "host_fault" and int(ended["refunded"]) > 0

    await until(is_refunded)
    again = console.lines(*order)[0]["id"]
    assert console.run("exec", again, "--", "cat", "/etc/hostname").stdout


def test_up_docker__no_engine__says_so_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    done = Console(tmp_path).run("up", "--docker", "--data", str(tmp_path / "market"), code=2)
    message, remedy = done.stderr.splitlines()
    assert "Cannot connect" in message and "docker info" in remedy
    assert not (tmp_path / "market").exists()
