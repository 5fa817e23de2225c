"""Workspaces with a file system of their own, where the engine has no quotas: attacks on it, crashes, its end."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from solders.pubkey import Pubkey
from xprocess import XProcess

from anchor_client.orders import OrderDocument, Workload
from anchor_client.sealing import SealKey
from host_agent.disk.file_systems import DiskImages
from host_agent.disk.workspaces import KeptWorkspaces
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.disk_trial import try_disk_image
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.docker.workspace import WORKSPACE
from host_agent.errors import MachineFault
from host_agent.identity import MachineIdentity
from host_agent.network.egress import Egress
from host_agent.settings.machine import ContainerLimits, MachineSettings
from tests.host_agent.docker import disks
from tests.host_agent.docker.engine import IMAGE, TOOLS_IMAGE, OwnEngine, require, running
from tests.host_agent.ssh import inside
from tests.processes.ports import free_ports

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
MIB = 2**20
WHOLE, LISTED = 1_024 * MIB, 48 * MIB
KEY = SealKey.generate()
MMAP = {"x86_64": (9, 0), "aarch64": (222, 63)}
"""Numbers of the system calls mmap and read."""
MAPPED = """\
open my $file, "+>", "/workspace/mapped" or die; truncate $file, 200 << 20 or die; unlink "/workspace/mapped";
my $at = syscall {mmap}, 0, 200 << 20, 3, 1, fileno $file, 0; close $file;
open my $random, "<", "/dev/urandom" or die;
for my $n (0 .. 199) {{ (syscall {read}, fileno $random, $at + ($n << 20), 1 << 20) > 0 or die }}
"""
"""Maps a file, closes and deletes it, and writes to it through the mapping."""


@dataclass(frozen=True, slots=True)
class Host:
    """A machine whose engine keeps its data on an ext4 disk."""

    own: OwnEngine
    engine: Engine
    disk: Path
    settings: MachineSettings

    @property
    def file(self) -> Path:
        assert self.settings.disks is not None
        return self.settings.disks.of(name_of(self.settings.listing, WORKSPACE)).file

    def agent(self, kept: KeptWorkspaces | None = None, **changes: object) -> DockerMachine:
        """The machine of an agent that has just started."""
        identity = MachineIdentity.load_or_create(self.disk / "agent", "m")
        return DockerMachine(self.engine, replace(self.settings, **changes), KEY, identity, kept=kept)  # type: ignore[arg-type]

    def free(self) -> tuple[int, int]:
        """Free bytes and inodes of the disk."""
        subprocess.run(["sync", "--file-system", self.disk], check=True)
        found = os.statvfs(self.disk)
        return found.f_bfree * found.f_frsize, found.f_ffree

    def loops(self) -> str:
        """Loop devices of its images."""
        return "\n".join(line for line in said("losetup", "--list").splitlines() if str(self.disk / "agent") in line)


def said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    require()
    with disks.mounted("ext4", tmp_path, WHOLE) as place:
        yield place


@pytest.fixture
async def host(xprocess: XProcess, disk: Path) -> AsyncIterator[Host]:
    with running(xprocess, disk / "docker", **{"storage-driver": "overlay2", "iptables": False}) as own:
        async with Engine.connect(own.url) as engine:
            settings = MachineSettings(
                listing=Pubkey.new_unique(),
                address="127.0.0.1",
                first_port=free_ports(8),
                gpus=(),
                limits=ContainerLimits(shared_memory_bytes=8 * MIB, disk_bytes=LISTED, workspace_bytes=LISTED),
                egress=Egress(is_open=True),
                keep_days=1,
                disks=DiskImages(disk / "agent" / "disks", are_mounted=True),
            )
            made = Host(own, engine, disk, settings)
            yield made
            await made.agent().vacate()


def order(image: str = IMAGE, **wanted: str) -> OrderDocument:
    return Workload(image=image, **wanted).for_renter(SealKey.generate().public)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "attack",
    [
        "dd if=/dev/zero of=/workspace/big bs=1048576 count=200",
        "exec 9> /workspace/big; rm /workspace/big; dd if=/dev/zero bs=1048576 count=200 >&9",
        "i=0; cd /workspace; while i=$((i+1)); do echo > $i || exit; done",
        f"perl -e '{MAPPED}'",
    ],
    ids=["file", "unlinked", "two-byte-files", "mapped"],
)
async def test_disk_image__tenant_fills_it__ends_at_what_is_listed_and_the_rental_goes_on(
    host: Host, attack: str
) -> None:
    image = IMAGE
    if attack.startswith("perl"):
        if platform.machine() not in MMAP:
            pytest.skip("system calls of this processor are unknown")
        mmap, read = MMAP[platform.machine()]
        image, attack = TOOLS_IMAGE, attack.format(mmap=mmap, read=read)
    machine, rental, wanted = host.agent(), Pubkey.new_unique(), order(image)
    await machine.provision(rental, wanted)
    connection = machine.connection(rental, wanted)
    size, inodes = host.free()
    code, _ = await inside(connection, attack)
    assert code != 0
    left, left_inodes = host.free()
    assert size - left < LISTED + 8 * MIB and inodes - left_inodes < 100
    assert await machine.holds(rental)
    guard = machine._guard
    assert guard is not None and await guard.admits()
    freed = "rm -rf /workspace/*; echo mine > /workspace/mine && cat /workspace/mine"
    assert await inside(connection, freed) == (0, "mine\n")
    await machine.vacate()
    assert not host.file.exists() and not host.loops()


async def test_disk_image__machine_restarts__tenant_finds_their_files_and_their_use_is_known(host: Host) -> None:
    machine, rental, wanted = host.agent(), Pubkey.new_unique(), order()
    await machine.provision(rental, wanted)
    write = "dd if=/dev/urandom of=/workspace/file bs=1048576 count=8; sync; sha1sum /workspace/file; ls /workspace"
    before = await inside(machine.connection(rental, wanted), write)
    used = await machine.usage(rental)
    assert used is not None and 8 * MIB <= used.workspace_bytes < 9 * MIB
    await machine.close()
    host.own.docker("stop", "--time", "0", name_of(host.settings.listing, TENANT))
    stopped = await machine.usage(rental)
    assert stopped is not None and stopped.workspace_bytes == used.workspace_bytes
    [device] = said("losetup", "--associated", str(host.file), "--noheadings", "--output", "NAME").split()
    said("losetup", "--detach", device)
    again = host.agent(disks=replace(host.settings.disks, are_mounted=False))  # type: ignore[type-var]
    await again.recover()
    assert again.tenant == rental and await again.holds(rental)
    after = await inside(again.connection(rental, wanted), "sha1sum /workspace/file; ls /workspace")
    assert after[0] == 0 and before[1].endswith(after[1])
    assert after[1].splitlines()[1:] == ["file"]
    await again.vacate()
    assert not host.file.exists() and not host.loops()


async def test_disk_image__agent_died_before_its_volume_was_made__is_wiped_at_the_next_start(host: Host) -> None:
    assert host.settings.disks is not None
    await host.settings.disks.of(host.file.stem).create(LISTED)
    assert host.file.exists() and host.loops()
    await host.agent().recover()
    assert not host.file.exists() and not host.loops()


async def test_disk_image__workspace_is_kept__comes_back_in_another(host: Host, tmp_path: Path) -> None:
    kept = KeptWorkspaces(tmp_path, WHOLE)
    mine = SealKey.generate()

    def wanted() -> OrderDocument:
        plain = Workload(image=IMAGE, keep_workspace="mine")
        return plain.for_renter(SealKey.generate().public, mine)

    machine, rental, first = host.agent(kept), Pubkey.new_unique(), wanted()
    await machine.provision(rental, first)
    assert await inside(machine.connection(rental, first), "echo kept > /workspace/file") == (0, "")
    await machine.vacate()
    assert not host.loops()
    second = wanted()
    await machine.provision(rental, second)
    assert await inside(machine.connection(rental, second), "cat /workspace/file") == (0, "kept\n")
    await machine.vacate()


async def test_disk_image__engine_mounts_one__leaves_nothing_of_the_trial(host: Host) -> None:
    assert host.settings.disks is not None
    kinds = (("ps", "--all"), ("volume", "ls"), ("images", "--all"))
    before = [sorted(host.own.docker(*kind, "--quiet").split()) for kind in kinds]
    await try_disk_image(host.engine, host.settings.disks, host.settings.listing)
    assert not host.loops() and not list(host.settings.disks.folder.iterdir())
    assert [sorted(host.own.docker(*kind, "--quiet").split()) for kind in kinds] == before


async def test_disk_image__no_loop_devices__trial_fails_and_leaves_nothing(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without them, such as a container: `losetup` finds none."""
    assert host.settings.disks is not None
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "losetup").write_text(
        '#!/bin/sh\ncase "$*" in *--find*) echo "cannot find an unused loop device"; exit 1; esac\n'
    )
    (tools / "losetup").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    with pytest.raises(MachineFault, match="cannot find an unused loop device"):
        await try_disk_image(host.engine, host.settings.disks, host.settings.listing)
    assert not list(host.settings.disks.folder.iterdir())
