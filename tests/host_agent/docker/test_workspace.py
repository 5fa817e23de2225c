"""/workspace on a real Docker engine: wiped with the tenant, or sealed for whoever comes back with its key."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import structlog
from solders.pubkey import Pubkey

from anchor_client.orders import OrderDocument, Workload
from anchor_client.sealing import SealKey
from host_agent.disk.workspaces import KeptWorkspaces
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.docker.workspace import WORKSPACE
from host_agent.errors import MachineFault, OrderRefused
from host_agent.identity import MachineIdentity
from host_agent.settings.machine import MachineSettings
from tests.host_agent.docker.engine import IMAGE, TOOLS_IMAGE, OwnEngine
from tests.host_agent.docker.machines import SHARED_MEMORY, settings_here
from tests.host_agent.ssh import inside
from tests.indexer.service import until
from tests.processes.patience import PATIENCE

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
KEY = SealKey.generate()
MINE = SealKey.generate()
SECRET = "only-the-renter-may-read-this"
MakeMachine = Callable[..., DockerMachine]


@pytest.fixture
def settings() -> MachineSettings:
    return settings_here(keep_days=3, limits=replace(SHARED_MEMORY, workspace_bytes=32 * 2**20))


@pytest.fixture
async def make_machine(engine: OwnEngine, settings: MachineSettings, tmp_path: Path) -> AsyncIterator[MakeMachine]:
    """A machine of an agent that has just started."""
    made: list[DockerMachine] = []
    async with Engine.connect(engine.url) as connected:
        identity = MachineIdentity.load_or_create(tmp_path, settings.address)

        def make(keep_days: int = settings.keep_days) -> DockerMachine:
            changed = replace(settings, keep_days=keep_days)
            kept = KeptWorkspaces(tmp_path, 50 * 2**30)
            made.append(DockerMachine(connected, changed, KEY, identity, kept=kept))
            return made[-1]

        yield make
        for machine in made:
            await machine.close()
        await make().vacate()


def overwrite(sealed: Path, data: bytes) -> None:
    """Its modification time says until when it is kept, and stays."""
    until = sealed.stat().st_mtime
    sealed.write_bytes(data)
    os.utime(sealed, (until, until))


def order(key: SealKey | None = None, **parts: object) -> OrderDocument:
    named = {} if key is None else {"keep_workspace": "data"}
    return Workload.of(**{"image": IMAGE, **named, **parts}).for_renter(SealKey.generate().public, key)


async def rented(machine: DockerMachine, wanted: OrderDocument, command: str) -> tuple[int, str]:
    """Runs a command in a rental of its own, to its end."""
    rental = Pubkey.new_unique()
    await machine.provision(rental, wanted)
    said = await inside(machine.connection(rental, wanted), command)
    await machine.vacate()
    return said


async def test_workspace__of_an_order_that_keeps_none__is_there_and_gone_with_the_tenant(
    engine: OwnEngine, make_machine: MakeMachine, tmp_path: Path
) -> None:
    machine, before = make_machine(), engine.names("volume", "ls")
    assert machine.connection(Pubkey.new_unique(), order()).keep_days is None
    assert await rented(machine, order(), "echo mine > /workspace/file && cat /workspace/file") == (0, "mine\n")
    assert await rented(machine, order(), "ls -A /workspace") == (0, "")
    assert engine.names("volume", "ls") == before
    assert not list((tmp_path / "workspaces").glob("*"))


async def test_workspace__user_of_the_image_is_not_root__may_write(make_machine: MakeMachine) -> None:
    said = await rented(make_machine(), order(image=TOOLS_IMAGE), "id -u; mkdir /workspace/a && ls /workspace")
    assert said == (0, "1000\na\n")


async def test_workspace__kept__comes_back_whole_for_its_key_alone(
    engine: OwnEngine, settings: MachineSettings, make_machine: MakeMachine, tmp_path: Path
) -> None:
    make = (
        f"cd /workspace && echo {SECRET} > 'a file' && mkdir -p deep/er && ln -s 'a file' link && ln 'a file' hard"
        " && dd if=/dev/zero of=deep/er/big bs=1048576 count=5 2>/dev/null && chmod 750 deep && chown 7:8 'a file'"
        " && chmod 1770 /workspace"
    )
    tell = "cd /workspace && cat link && ls -A && stat -c '%u:%g %a %h %s' . deep 'a file' deep/er/big"
    machine = make_machine()
    assert machine.connection(Pubkey.new_unique(), order(MINE)).keep_days == 3
    status, before = await rented(machine, order(MINE), f"{make} && {tell}")
    assert status == 0, before
    [sealed] = (tmp_path / "workspaces").iterdir()
    assert SECRET.encode() not in sealed.read_bytes() and b"a file" not in sealed.read_bytes()
    assert name_of(settings.listing, WORKSPACE) not in engine.names("volume", "ls")
    for other in (order(), order(SealKey.generate()), order(MINE, keep_workspace="other")):
        assert await rented(make_machine(), other, "ls -A /workspace") == (0, "")
    assert await rented(make_machine(), order(MINE), tell) == (0, before)
    assert await rented(make_machine(), order(MINE), f"rm -r /workspace/deep; {tell}") != (0, before)
    assert await rented(make_machine(), order(MINE), "ls /workspace/deep 2>&1 >/dev/null | wc -l") == (0, "1\n")


async def test_workspace__tenant_puts_a_pipe_where_the_engine_reads__is_not_kept_and_the_machine_goes_on(
    make_machine: MakeMachine, tmp_path: Path
) -> None:
    async def ended(command: str) -> tuple[int, str]:
        async with asyncio.timeout(PATIENCE):
            return await rented(make_machine(), order(MINE), command)

    assert await ended("rm -f /etc/group; mkfifo /etc/group && echo put") == (0, "put\n")
    assert not [*(tmp_path / "workspaces").glob("*")]
    assert await ended("mkfifo /workspace/pipe && echo made") == (0, "made\n")
    assert await ended("test -p /workspace/pipe && echo kept") == (0, "kept\n")


async def test_workspace__agent_dies_before_the_end__is_sealed_by_the_next(make_machine: MakeMachine) -> None:
    rental, wanted, machine = Pubkey.new_unique(), order(MINE), make_machine()
    await machine.provision(rental, wanted)
    assert await inside(machine.connection(rental, wanted), "echo kept > /workspace/file") == (0, "")
    await machine.close()
    again = make_machine()
    await again.recover()
    await again.vacate()
    assert await rented(again, wanted, "cat /workspace/file") == (0, "kept\n")


async def test_workspace__order_is_refused_before_it_runs__what_was_kept_stays(
    make_machine: MakeMachine, tmp_path: Path
) -> None:
    machine = make_machine()
    await rented(machine, order(MINE), "echo kept > /workspace/file")
    with pytest.raises(OrderRefused):
        await machine.provision(Pubkey.new_unique(), order(MINE, image="gpu-market-test/bare:1", command="true"))
    await machine.vacate()
    with pytest.raises(OrderRefused, match="unpacked before the order had to start"):
        await machine.provision(Pubkey.new_unique(), order(MINE), within=0)
    await machine.vacate()
    assert await rented(machine, order(MINE), "cat /workspace/file") == (0, "kept\n")
    [sealed] = (tmp_path / "workspaces").iterdir()
    whole = sealed.read_bytes()
    overwrite(sealed, whole[:-1])
    with pytest.raises(OrderRefused, match="damaged"):
        await machine.provision(Pubkey.new_unique(), order(MINE))
    await machine.vacate()
    overwrite(sealed, whole)
    assert await rented(machine, order(MINE), "cat /workspace/file") == (0, "kept\n")


async def test_workspace__host_keeps_none_or_it_is_over_its_limit__is_wiped_and_the_renter_told(
    make_machine: MakeMachine, tmp_path: Path
) -> None:
    none = make_machine(keep_days=0)
    assert none.connection(Pubkey.new_unique(), order(MINE)).keep_days == 0
    assert await rented(none, order(MINE), "echo a > /workspace/file") == (0, "")
    assert not list((tmp_path / "workspaces").glob("*"))
    with structlog.testing.capture_logs() as logs:
        fill = "dd if=/dev/zero of=/workspace/big bs=1048576 count=33 2>/dev/null"
        rental, wanted, machine = Pubkey.new_unique(), order(MINE), make_machine()
        await machine.provision(rental, wanted)
        assert (await inside(machine.connection(rental, wanted), fill))[0] == 0
        await machine.close()
        assert await make_machine().holds(rental)
        await machine.vacate()
    events = [each["event"] for each in logs]
    assert "workspace_not_kept" in events
    assert not list((tmp_path / "workspaces").glob("*"))


async def test_usage__of_a_tenant__is_what_went_out_and_what_lies_in_the_workspace(make_machine: MakeMachine) -> None:
    machine, rental = make_machine(), Pubkey.new_unique()
    make = "dd if=/dev/zero of=/workspace/big bs=1048576 count=5 2>/dev/null"
    wanted = order(command=f"{make}; exec httpd -f -p 8080 -h /workspace", ports=({"port": 8080},))
    await machine.provision(rental, wanted)
    connection = machine.connection(rental, wanted)
    address = f"http://{connection.host}:{connection.ports[8080]}/big"
    async with httpx.AsyncClient() as client:

        async def is_served() -> bool:
            try:
                return (await client.get(address)).status_code == httpx.codes.OK
            except httpx.TransportError:
                return False

        await until(is_served, seconds=60)
        before = await machine.usage(rental)
        got = await client.get(address)
    after = await machine.usage(rental)
    assert before is not None and after is not None and len(got.content) == 5 * 2**20
    assert before.workspace_bytes == after.workspace_bytes == 5 * 2**20
    assert 5 * 2**20 < after.sent_bytes - before.sent_bytes < 6 * 2**20
    assert await machine.usage(Pubkey.new_unique()) is None
    await machine.vacate()
    assert await machine.usage(rental) is None


@pytest.mark.parametrize("image", [IMAGE, TOOLS_IMAGE])
async def test_checkpoint__named_in_the_order__runs_inside_and_is_in_the_log_and_the_workspace(
    engine: OwnEngine, make_machine: MakeMachine, settings: MachineSettings, image: str
) -> None:
    machine, rental = make_machine(), Pubkey.new_unique()
    save = "echo saving $NAME; echo state > /workspace/state; exit 3"
    wanted = order(MINE, image=image, command="echo begun; exec sleep 1000", checkpoint=save, env={"NAME": "all"})
    await machine.provision(rental, wanted)
    await machine.checkpoint(Pubkey.new_unique(), 30)
    await machine.checkpoint(rental, 30)
    printed = engine.docker("logs", name_of(settings.listing, TENANT)).replace("\r", "")
    assert printed.splitlines() == [
        *("begun", "gpu-market: the checkpoint begins", "saving all", "gpu-market: the checkpoint has ended with 3"),
    ]
    await machine.vacate()
    await machine.checkpoint(rental, 30)
    assert await rented(machine, order(MINE), "cat /workspace/state") == (0, "state\n")


async def test_checkpoint__takes_too_long__is_ended(make_machine: MakeMachine) -> None:
    save = "echo > /workspace/begun; exec tail -f /dev/null"
    machine, rental, wanted = make_machine(), Pubkey.new_unique(), order(checkpoint=save)
    await machine.provision(rental, wanted)
    with structlog.testing.capture_logs() as logs:
        await machine.checkpoint(rental, 2)
    assert [each["event"] for each in logs] == ["checkpoint_cut_off"]
    assert await inside(machine.connection(rental, wanted), "ls /workspace") == (0, "begun\n")

    async def has_ended() -> bool:
        _, processes = await inside(machine.connection(rental, wanted), "cat /proc/[0-9]*/stat 2>/dev/null")
        return "(sh)" in processes and re.search(r"\(tail\) [^ZX]", processes) is None  # its shell may not reap it

    await until(has_ended, seconds=30)
    await machine.vacate()


async def test_workspace__engine_fails_at_it__is_tried_again_and_then_given_up(
    engine: OwnEngine, make_machine: MakeMachine, settings: MachineSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, rental = make_machine(), Pubkey.new_unique()
    await machine.provision(rental, order(MINE))

    async def cut_off(self: object, container: str, path: str) -> AsyncIterator[bytes]:
        yield b"some"
        raise MachineFault("The engine has not given all")

    monkeypatch.setattr("host_agent.docker.volumes.Volumes.get", cut_off)
    for _ in range(2):
        with pytest.raises(MachineFault, match="not given all"):
            await machine.vacate()
        assert name_of(settings.listing, TENANT) in engine.names("ps", "--all")
    await machine.vacate()
    assert machine.tenant is None
    assert name_of(settings.listing, TENANT) not in engine.names("ps", "--all")
