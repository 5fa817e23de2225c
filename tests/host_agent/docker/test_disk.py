"""Disks that fill: a tenant's own at what is listed, and the host's."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from solders.pubkey import Pubkey
from xprocess import XProcess

from anchor_client.orders import OrderDocument, Workload
from anchor_client.sealing import SealKey
from host_agent.docker import disk_guard, disk_use
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.errors import MachineFault, OrderRefused
from host_agent.identity import MachineIdentity
from host_agent.images.rules import ImageRules
from host_agent.network.egress import Egress
from host_agent.settings.machine import ContainerLimits, MachineSettings
from host_agent.ssh.inside import CANNOT_RUN
from tests.host_agent.docker import disks, registry
from tests.host_agent.docker.engine import IMAGE, OwnEngine, require, running, with_file, with_files
from tests.host_agent.ssh import inside, logged_in
from tests.indexer.service import until
from tests.processes.ports import free_ports

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
MIB = 2**20
WHOLE, DISK, WORKSPACE = 1_024 * MIB, 48 * MIB, 24 * MIB
DRIVERS = {"ext4": "overlay2", "btrfs": "btrfs", "xfs": "overlay2"}
FULL = ("No space left on device", "Disk quota exceeded")
LEFT = 4 * MIB
"""Of a disk that is full: enough for the engine's own records, and not for an image."""
FEW = 24 * MIB
EngineOn = Callable[[str], AbstractContextManager[tuple[OwnEngine, Path]]]


@pytest.fixture
def engine_on(xprocess: XProcess, tmp_path: Path) -> EngineOn:
    """An engine whose data are on a file system of some kind; it leaves the firewall to that of other tests."""
    require()

    @contextmanager
    def started(kind: str) -> Iterator[tuple[OwnEngine, Path]]:
        daemon = {"storage-driver": DRIVERS[kind], "iptables": False}
        with disks.mounted(kind, tmp_path, WHOLE) as place, running(xprocess, place / "docker", **daemon) as engine:
            yield engine, place

    return started


@pytest.fixture
def settings() -> MachineSettings:
    limits = ContainerLimits(
        shared_memory_bytes=8 * MIB, disk_bytes=DISK, has_disk_quota=True, workspace_bytes=WORKSPACE
    )
    return MachineSettings(
        listing=Pubkey.new_unique(),
        address="127.0.0.1",
        first_port=free_ports(8),
        gpus=(),
        limits=limits,
        egress=Egress(is_open=True),
    )


def machine_on(engine: Engine, settings: MachineSettings, folder: Path) -> DockerMachine:
    return DockerMachine(engine, settings, SealKey.generate(), MachineIdentity.load_or_create(folder, "m"))


def order(image: str = IMAGE) -> OrderDocument:
    return Workload(image=image).for_renter(SealKey.generate().public)


@pytest.mark.parametrize(
    ("kind", "place", "most"), [("btrfs", "/big", DISK), ("xfs", "/big", DISK), ("xfs", "/workspace/big", WORKSPACE)]
)
async def test_disk__tenant_fills_theirs__is_stopped_at_what_is_listed_and_goes_on(
    engine_on: EngineOn, settings: MachineSettings, tmp_path: Path, kind: str, place: str, most: int
) -> None:
    with engine_on(kind) as (own, _):
        async with Engine.connect(own.url) as connected:
            assert (await connected.isolation()).limits_disk
            machine, rental, wanted = machine_on(connected, settings, tmp_path), Pubkey.new_unique(), order()
            await machine.provision(rental, wanted)
            connection = machine.connection(rental, wanted)
            code, said = await inside(connection, f"dd if=/dev/zero of={place} bs=1048576 count=200 2>&1")
            assert code != 0 and any(reason in said for reason in FULL)
            _, size = await inside(connection, f"sync; stat -c %s {place}")
            assert most // 2 < int(size) <= most
            assert await machine.holds(rental)
            assert await inside(connection, f"rm {place} && echo mine > {place} && cat {place}") == (0, "mine\n")
            await machine.vacate()


@pytest.mark.parametrize(
    ("kind", "places"),
    [
        ("ext4", ("/big", "/data/big", "/workspace/big", "/etc/hosts")),
        ("btrfs", ("/data/big", "/workspace/big", "/etc/hosts")),
    ],
)
async def test_disk__no_quota_holds_what_a_tenant_writes__they_are_stopped_and_told_why(
    engine_on: EngineOn,
    settings: MachineSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    places: Sequence[str],
) -> None:
    if kind == "btrfs":  # which tells late what it has lost
        monkeypatch.setattr(disk_guard, "LOOK_SECONDS", 1.0)
    with engine_on(kind) as (own, _):
        async with Engine.connect(own.url) as connected:
            has_quota = bool((await connected.isolation()).limits_disk)
            mine = replace(settings, limits=replace(settings.limits, has_disk_quota=has_quota))
            key, identity = SealKey.generate(), MachineIdentity.load_or_create(tmp_path, "m")
            machine = DockerMachine(connected, mine, key, identity)

            async def has_stopped() -> bool:
                return str(own.inspect(name_of(mine.listing, TENANT))["State"]["Status"]) == "exited"

            for place in places:
                rental, wanted = Pubkey.new_unique(), order()
                await machine.provision(rental, wanted)
                connection = machine.connection(rental, wanted)
                write = f"dd if=/dev/zero of={place} bs=1048576 count=100 conv=fsync; while :; do sleep 1; done"
                code, _ = await inside(connection, write)
                assert code != 0
                await until(has_stopped)
                assert await machine.holds(rental) and await has_stopped()
                async with logged_in(connection) as ssh:
                    told = await ssh.run("true")
                assert told.exit_status == CANNOT_RUN and "GB of disk, and its limit is 0.05" in str(told.stderr)
                await machine.close()
                again = DockerMachine(connected, mine, key, identity)
                await again.recover()
                assert await again.holds(rental) and await has_stopped()
                await again.vacate()
            await machine.provision(Pubkey.new_unique(), order())
            await machine.vacate()


@pytest.mark.parametrize(
    ("attack", "told_why"),
    [
        ("exec 9> /workspace/big; rm /workspace/big; dd if=/dev/zero bs=1048576 count=100 >&9", "GB of disk"),
        ("mkdir /many; cd /many; i=0; while :; do i=$((i+1)); echo $i > $i; done", "more than 3"),
    ],
    ids=["unlinked", "inodes"],
)
async def test_disk__files_without_a_name_or_without_end__tenant_is_stopped_and_the_disk_is_left(
    engine_on: EngineOn, settings: MachineSettings, tmp_path: Path, attack: str, told_why: str
) -> None:
    with engine_on("ext4") as (own, disk):
        async with Engine.connect(own.url) as connected:
            mine = replace(settings, limits=replace(settings.limits, has_disk_quota=False))
            machine, rental = machine_on(connected, mine, tmp_path), Pubkey.new_unique()

            async def has_stopped() -> bool:
                return str(own.inspect(name_of(mine.listing, TENANT))["State"]["Status"]) == "exited"

            wanted = Workload(image=IMAGE, command=f"{attack}; while :; do sleep 1; done")
            await machine.provision(rental, wanted.for_renter(SealKey.generate().public))
            await until(has_stopped)
            assert await machine.holds(rental) and await has_stopped()
            guard = machine._guard
            assert guard is not None and told_why in str(guard.reason)
            free = os.statvfs(disk)
            assert free.f_bfree * free.f_frsize > WHOLE // 2 and free.f_ffree > free.f_files // 2
            await machine.vacate()


async def test_disk__image_unpacks_to_more_than_the_host_takes__order_is_refused(
    engine_on: EngineOn, settings: MachineSettings, tmp_path: Path
) -> None:
    """It comes as a thousandth of that, and would fill the disk."""
    with engine_on("ext4") as (own, disk):
        async with Engine.connect(own.url) as connected, registry.running() as images:
            here = own.docker("version", "--format", "{{.Server.Arch}}").strip()
            wanted = order(images.add("own/bomb", with_file(bytes(4 * FEW)), here))
            filler = disk / "filler"
            with filler.open("wb") as file:
                free = os.statvfs(disk)
                os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - 2 * FEW)
            rules = ImageRules(max_bytes=FEW)
            machine = machine_on(connected, replace(settings, limits=ContainerLimits(), images=rules), tmp_path)
            with pytest.raises(OrderRefused, match="larger than this host"):
                await machine.provision(Pubkey.new_unique(), wanted)
            await machine.vacate()

            async def has_room() -> bool:
                free = os.statvfs(disk)
                return free.f_bavail * free.f_frsize > FEW

            await until(has_room)


async def test_disk__hosts_own_is_full__is_their_fault_until_there_is_room(
    engine_on: EngineOn, settings: MachineSettings, tmp_path: Path
) -> None:
    with engine_on("ext4") as (own, disk):
        async with Engine.connect(own.url) as connected, registry.running() as images:
            assert not (await connected.isolation()).limits_disk
            here = own.docker("version", "--format", "{{.Server.Arch}}").strip()
            wanted = order(images.add("own/large", with_file(os.urandom(4 * LEFT)), here))
            machine = machine_on(connected, replace(settings, limits=ContainerLimits()), tmp_path)
            filler = disk / "filler"
            with filler.open("wb") as file:
                free = os.statvfs(disk)
                os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - LEFT)
            with pytest.raises(MachineFault, match="The disk is too full for the image"):
                await machine.provision(Pubkey.new_unique(), wanted)
            await machine.vacate()
            filler.unlink()
            rental = Pubkey.new_unique()
            await machine.provision(rental, wanted)
            assert await machine.holds(rental)
            await machine.vacate()


@pytest.mark.parametrize(
    ("left", "files", "fault", "told"),
    [
        (500, 1_000, MachineFault, "The disk is too full for the image"),
        (None, 70_000, OrderRefused, "larger than this host"),
    ],
    ids=["hosts-own", "orders"],
)
async def test_disk__inodes_are_used_up__is_the_hosts_fault_unless_the_image_has_too_many_files(
    engine_on: EngineOn,
    settings: MachineSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    left: int | None,
    files: int,
    fault: type[Exception],
    told: str,
) -> None:
    monkeypatch.setattr(disk_use, "NEARLY_FULL", FEW)
    with engine_on("ext4") as (own, disk):
        async with Engine.connect(own.url) as connected, registry.running() as images:
            here = own.docker("version", "--format", "{{.Server.Arch}}").strip()
            wanted = order(images.add("own/files", with_files(files), here))
            rules = ImageRules(max_bytes=FEW)
            machine = machine_on(connected, replace(settings, limits=ContainerLimits(), images=rules), tmp_path)
            if left is not None:
                (disk / "filler").mkdir()
                for number in range(os.statvfs(disk).f_ffree - left):
                    (disk / "filler" / str(number)).touch()
            with pytest.raises(fault, match=told):
                await machine.provision(Pubkey.new_unique(), wanted)
            await machine.vacate()
