"""A tenant does not outlive what was paid because the agent is dead."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from solders.pubkey import Pubkey
from xprocess import XProcess

from anchor_client.orders import OrderDocument, Workload
from anchor_client.sealing import SealKey
from host_agent.deadlines import LOCK, LOG, WATCHDOG, Deadlines
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.identity import MachineIdentity
from host_agent.log_file import MOST_BYTES
from host_agent.network.egress import Egress
from host_agent.settings.machine import ContainerLimits, MachineSettings
from host_agent.watchdog import watch
from tests.docs.pages import ROOT
from tests.host_agent.docker.engine import IMAGE, OwnEngine, require, running
from tests.indexer.databases import in_time
from tests.indexer.service import until
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

RENTAL = Pubkey.new_unique()
AGENT = """
import sys, time
from pathlib import Path
from solders.pubkey import Pubkey
from host_agent.deadlines import Deadlines
deadline = time.time() + 2
Deadlines(Path(sys.argv[1]), sys.argv[2]).put(Pubkey.from_string(sys.argv[3]), deadline)
print(deadline, flush=True)
time.sleep(60)
"""


def order() -> OrderDocument:
    return Workload(image=IMAGE, command="echo kept > /file; exec sleep 1000").for_renter(SealKey.generate().public)


@pytest.fixture
def settings() -> MachineSettings:
    limits = ContainerLimits(shared_memory_bytes=64 * 2**20)
    return MachineSettings(
        listing=Pubkey.new_unique(), address="127.0.0.1", first_port=free_ports(8), gpus=(), limits=limits
    )


@pytest.fixture
async def machine(engine: OwnEngine, settings: MachineSettings, tmp_path: Path) -> AsyncIterator[DockerMachine]:
    """With a tenant; nobody attends to it."""
    async with Engine.connect(engine.url) as connected:
        identity, key = MachineIdentity.load_or_create(tmp_path / "keys", "127.0.0.1"), SealKey.generate()
        made = DockerMachine(connected, settings, key, identity, Deadlines(tmp_path, engine.url))
        await made.provision(RENTAL, order())
        yield made
        await made.vacate()


def state_of(engine: OwnEngine, settings: MachineSettings) -> str:
    return str(engine.inspect(name_of(settings.listing, TENANT))["State"]["Status"])


def test_deadlines__put_moved_and_dropped__are_as_last_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Deadlines, "_have_watched", lambda self: None)
    deadlines, (first, second) = Deadlines(tmp_path), (Pubkey.new_unique(), Pubkey.new_unique())
    deadlines.put(first, 100)
    deadlines.put(second, 200)
    (deadlines.directory / LOCK).touch()
    deadlines.put(first, 300)
    assert deadlines.all() == {first: 300, second: 200}
    deadlines.drop(second)
    deadlines.drop(second)
    assert deadlines.all() == {first: 300}


async def test_watch__nothing_to_watch__ends(tmp_path: Path) -> None:
    deadlines = Deadlines(tmp_path)
    deadlines.directory.mkdir()
    async with asyncio.timeout(PATIENCE):
        await watch(deadlines)


def test_watchdog__engine_is_away_for_long__its_log_stays_within_two_files(tmp_path: Path) -> None:
    deadlines = Deadlines(tmp_path)
    deadlines.file(Pubkey.new_unique()).parent.mkdir()
    deadlines.file(Pubkey.new_unique()).write_text("0")
    log = tmp_path / LOG
    full = log.with_suffix(".old")
    log.write_bytes(b"\n" * MOST_BYTES)
    command = [sys.executable, "-P", "-m", WATCHDOG, str(tmp_path)]
    away = os.environ | {"DOCKER_HOST": f"unix://{tmp_path / 'none.sock'}"}
    with subprocess.Popen(command, env=away, cwd=ROOT) as process:
        for attempt in in_time:
            with attempt:
                assert full.exists() and log.exists()
        process.kill()
    assert b"tenant_not_stopped" in full.read_bytes()[MOST_BYTES:] and log.stat().st_size < MOST_BYTES


@pytest.mark.docker
@pytest.mark.xdist_group("up")
async def test_tenant__agent_killed__is_stopped_at_its_deadline_and_kept_for_the_next_agent(
    engine: OwnEngine, settings: MachineSettings, machine: DockerMachine, tmp_path: Path
) -> None:
    agent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", AGENT, str(tmp_path), engine.url, str(settings.listing)),
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert agent.stdout is not None
    deadline = float(await agent.stdout.readline())
    os.killpg(agent.pid, signal.SIGKILL)
    await agent.wait()

    async def has_stopped() -> bool:
        return state_of(engine, settings) == "exited"

    await until(has_stopped)
    stopped = engine.inspect(name_of(settings.listing, TENANT))["State"]["FinishedAt"]
    assert datetime.fromisoformat(stopped[:19] + "Z").timestamp() >= int(deadline)
    assert await machine.holds(RENTAL)
    assert engine.run_in(name_of(settings.listing, TENANT), "cat", "/file") == "kept\n"


@pytest.mark.docker
@pytest.mark.xdist_group("up")
async def test_tenant__deadline_put_off__goes_on(
    engine: OwnEngine, settings: MachineSettings, machine: DockerMachine, tmp_path: Path
) -> None:
    machine.keep_for(2)
    machine.keep_for(60)
    begun = time.monotonic()
    while time.monotonic() - begun < 4:
        assert state_of(engine, settings) == "running"
        await asyncio.sleep(0.5)
    await machine.vacate()
    assert Deadlines(tmp_path).all() == {}


@pytest.mark.docker
@pytest.mark.xdist_group("up")
async def test_tenant__engine_starts_anew_without_an_agent__does_not_run_until_one_is_back(
    xprocess: XProcess, settings: MachineSettings, tmp_path: Path
) -> None:
    require()
    with running(xprocess, iptables=False) as own:
        mine = replace(settings, egress=Egress(is_open=True))
        key, identity = SealKey.generate(), MachineIdentity.load_or_create(tmp_path / "keys", "127.0.0.1")
        async with Engine.connect(own.url) as connected:
            machine = DockerMachine(connected, mine, key, identity)
            await machine.provision(RENTAL, order())
            await machine.close()
        own.restart()
        assert state_of(own, mine) == "exited"
        async with Engine.connect(own.url) as connected:
            again = DockerMachine(connected, mine, key, identity)
            await again.recover()
            assert await again.holds(RENTAL)
            assert own.run_in(name_of(mine.listing, TENANT), "cat", "/file") == "kept\n"
            await again.vacate()
