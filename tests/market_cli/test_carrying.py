"""The workspace of a job that is respawned: copied from a machine that goes, and put on the next."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest
from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.generated.types import CloseReason
from anchor_client.market import Job, JobState, RentalWanted
from anchor_client.market.rental.actions import Access
from anchor_client.market.rental.respawn import Respawn
from anchor_client.orders import Workload
from anchor_client.resources.job import JobStatus
from host_agent.ssh import RenterCredentials, SshIdentity, TenantSshServer
from market_cli.errors import BadOption
from market_cli.machine import carrying, moves
from market_cli.machine.carrying import ARRIVED, Carrier
from market_cli.machine.moves import Moves
from market_cli.machine.reach import JobReach
from market_cli.session import CliSession
from tests.host_agent.docker.process_inside import ProcessInside
from tests.indexer.service import until
from tests.markets.marketplace import Marketplace, spec
from tests.processes.ports import free_ports

GPU = "nvidia-h100-nvl-94gb"
HOUR = 3_600


class Machine(NamedTuple):
    """A machine whose workspace is a folder of this one."""

    workspace: Path
    reach: JobReach
    server: TenantSshServer


@dataclass
class Machines:
    """Makes machines, and says which one's workspace is meant."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    stack: AsyncExitStack

    async def new(self, name: str) -> Machine:
        workspace = self.folder / name
        workspace.mkdir()
        port = free_ports(1)
        identity = SshIdentity.load_or_create(self.folder / f"{name}.key")
        server = await TenantSshServer.listening(
            identity, "127.0.0.1", port, RenterCredentials("p", None), ProcessInside(workspace)
        )
        self.stack.push_async_callback(server.close)
        connection = Connection(host="127.0.0.1", port=port, password="p", host_key=identity.public_key)
        return Machine(workspace, JobReach(Pubkey.new_unique(), Access(connection, None)), server)

    def at(self, machine: Machine) -> JobReach:
        """The machine, whose workspace is the one that counts from now on."""
        self.monkeypatch.setattr(carrying, "WORKSPACE_PATH", str(machine.workspace))
        return machine.reach


@dataclass
class Carried:
    """A carrier, and what it says."""

    carrier: Carrier
    folder: Path
    told: list[str]
    warned: list[str]


@pytest.fixture
async def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Machines]:
    monkeypatch.setattr(carrying, "AGAIN_SECONDS", 0.01)
    async with AsyncExitStack() as stack:
        yield Machines(tmp_path, monkeypatch, stack)


@pytest.fixture
async def carried(tmp_path: Path, machines: Machines) -> AsyncIterator[Carried]:
    told: list[str] = []
    warned: list[str] = []
    under = tmp_path / "carried"
    async with carrying.carrying(under, told.append, warned.append) as carrier:
        [folder] = under.iterdir()
        yield Carried(carrier, folder, told, warned)


def files(folder: Path) -> dict[str, str]:
    """The files in a folder by their paths."""
    return {str(each.relative_to(folder)): each.read_text() for each in sorted(folder.rglob("*")) if each.is_file()}


async def test_carrier__machine_is_preempted__what_it_had_last_is_on_the_next(
    machines: Machines, carried: Carried
) -> None:
    old, new = await machines.new("old"), await machines.new("new")
    (old.workspace / "deep").mkdir()
    (old.workspace / "deep" / "state").write_text("first")
    (old.workspace / "state.new").write_text("half")
    carried.carrier.warned(machines.at(old), HOUR)

    async def first() -> bool:
        return files(carried.folder) == {"deep/state": "first", "state.new": "half"}

    await until(first)
    (old.workspace / "deep" / "state").write_text("second one")
    (old.workspace / "state.new").rename(old.workspace / "state")

    async def second() -> bool:
        found = files(carried.folder)
        return (found["deep/state"], found.get("state")) == ("second one", "half")

    await until(second)
    await old.server.close()
    carried.carrier.lost(old.reach)
    await carried.carrier.settle()
    carried.carrier.arrived(machines.at(new))
    await carried.carrier.settle()
    assert files(new.workspace) == {ARRIVED: "", "deep/state": "second one", "state": "half"}
    [said] = carried.warned
    assert "2 files, 14 bytes" in said and "cannot be reached" in said and "UTC or later" in said
    assert not carried.carrier.is_owed


async def test_carrier__host_is_gone_but_its_machine_answers__all_is_copied(
    machines: Machines, carried: Carried
) -> None:
    old, new = await machines.new("old"), await machines.new("new")
    (old.workspace / "state").write_text("kept")
    carried.carrier.lost(machines.at(old))
    await carried.carrier.settle()
    carried.carrier.arrived(machines.at(new))
    await carried.carrier.settle()
    assert files(new.workspace) == {ARRIVED: "", "state": "kept"}
    assert carried.warned == [] and "1 files, 4 bytes" in carried.told[0]


async def test_carrier__some_files_cannot_be_copied__the_rest_is_and_they_are_named(
    machines: Machines, carried: Carried
) -> None:
    old, new = await machines.new("old"), await machines.new("new")
    odd = os.fsdecode(b"caf\xe9.bin")
    for name in ("\u8bad" * 80, odd, "state", "way"):
        (old.workspace / name).write_text("kept")
    os.utime(old.workspace / "state", (-86_400, -86_400))
    (carried.folder / "way" / "below").mkdir(parents=True)
    (new.workspace / odd / "below").mkdir(parents=True)
    carried.carrier.lost(machines.at(old))
    await carried.carrier.settle()
    carried.carrier.arrived(machines.at(new))
    await carried.carrier.settle()
    assert files(new.workspace) == {ARRIVED: "", "\u8bad" * 80: "kept", "state": "kept"}
    assert [said.partition(" was left out")[0].rpartition("/")[2] for said in carried.warned] == ["way", r"caf\xe9.bin"]
    assert "2 files, 8 bytes" in carried.told[0]


async def test_carrier__workspace_is_empty__nothing_is_said(machines: Machines, carried: Carried) -> None:
    old, new = await machines.new("old"), await machines.new("new")
    carried.carrier.lost(machines.at(old))
    await carried.carrier.settle()
    carried.carrier.arrived(machines.at(new))
    await carried.carrier.settle()
    assert (files(new.workspace), carried.told, carried.warned) == ({}, [], [])


async def test_carrier__machine_answers_no_more_or_has_too_much__says_that_it_could_not_be_copied(
    machines: Machines, carried: Carried, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = await machines.new("old"), await machines.new("new")
    (old.workspace / "state").write_text("lost")
    real = shutil.disk_usage(carried.folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: real._replace(free=3))
    carried.carrier.warned(machines.at(old), HOUR)

    async def too_much() -> bool:
        return carried.carrier._failure is not None

    await until(too_much)
    assert "too little space" in (carried.carrier._failure or "")
    await old.server.close()
    carried.carrier.lost(old.reach)
    await carried.carrier.settle()
    carried.carrier.arrived(machines.at(new))
    await carried.carrier.settle()
    [said] = carried.warned
    assert said.startswith("Not all of") and "cannot be reached" in said and "0 files" in said


async def test_carrier__new_machine_does_not_answer__copy_waits_for_the_one_after_and_is_kept(
    machines: Machines, tmp_path: Path
) -> None:
    under, said = tmp_path / "carried", list[str]()
    first, second, third = [await machines.new(name) for name in ("first", "second", "third")]
    (first.workspace / "state").write_text("kept")
    (second.workspace / "other").write_text("not its own")
    async with carrying.carrying(under, said.append, said.append) as carrier:
        [folder] = under.iterdir()
        carrier.lost(machines.at(first))
        await carrier.settle()
        await second.server.close()
        carrier.arrived(machines.at(second))
        await carrier.settle()
        assert carrier.is_owed and str(folder) in said[-1]
        carrier.lost(second.reach)
        await carrier.settle()
        carrier.arrived(machines.at(third))
        await carrier.settle()
        assert files(third.workspace) == {ARRIVED: "", "state": "kept"}
        carrier.lost(third.reach)
        await carrier.settle()
    assert files(folder)["state"] == "kept" and str(folder) in said[-1]


@pytest.mark.parametrize("fails", [False, True])
async def test_carrying__left_as_a_machine_is_lost__keeps_what_it_still_gives(
    machines: Machines, tmp_path: Path, fails: bool
) -> None:
    under, warned = tmp_path / "carried", list[str]()
    old = await machines.new("old")
    (old.workspace / "state").write_text("kept")
    with pytest.raises(BadOption) if fails else nullcontext():
        async with carrying.carrying(under, warned.append, warned.append) as carrier:
            carrier.lost(machines.at(old))
            if fails:
                raise BadOption("There is no other machine")
    [folder] = under.iterdir()
    assert files(folder) == {"state": "kept"} and str(folder) in warned[-1]


async def test_moves__respawned_job__its_workspace_follows(
    marketplace: Marketplace, machines: Machines, carried: Carried, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = await machines.new("old"), await machines.new("new")
    (old.workspace / "state").write_text("kept")
    runs: dict[Pubkey, Machine] = {}

    async def reach(session: CliSession, job: str) -> JobReach:
        return machines.at(runs[Pubkey.from_string(job)])

    monkeypatch.setattr(moves, "reach", reach)
    watching = Moves(None, carried.carrier)  # type: ignore[arg-type]
    async with marketplace.market(await marketplace.renter()) as market, marketplace.market(marketplace.host) as host:
        listings = await host.host.create_listings([spec(GPU, usd=2_000_000), spec(GPU, usd=3_000_000)])
        await host.host.heartbeat(listings)
        run = Respawn(market.session).run(RentalWanted(gpu=GPU, duration=2 * HOUR, pay="GPUM"), Workload(), attempts=2)
        async with aclosing(run) as happenings:
            async for happened in happenings:
                assert isinstance(happened, (Job, JobStatus))
                await watching.see(happened)
                if isinstance(happened, Job) and happened.status is JobState.QUEUED:
                    runs[happened.id] = new if runs else old
                    await marketplace.run(happened.id)
                elif isinstance(happened, JobStatus) and happened.status is JobState.RUNNING:
                    *_, job = runs
                    if len(runs) == 1:
                        await host.rental.cancel(job, CloseReason.HOST_FAULT)
                    else:
                        await carried.carrier.settle()
                        await market.rental.stop(job)
                elif isinstance(happened, Job) and len(runs) == 1:
                    await carried.carrier.settle()
        for listing in listings:
            await host.host.close_listing(listing)
    assert files(new.workspace) == {ARRIVED: "", "state": "kept"}
    assert not carried.carrier.is_owed
