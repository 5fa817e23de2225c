"""File systems of tenants' own, each in a sparse file of the ordered size, for an engine whose disk has no quotas.

The engine mounts one as a volume, so bytes, inodes and files that are deleted and kept open end with it. The agent
itself mounts nothing: it needs loop devices and e2fsprogs, as root or as a member of the group `disk`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from host_agent.commands import run
from host_agent.errors import MachineFault

DISKS: Final = "disks"
"""Folder in the state directory: images of tenants' workspaces."""
KIND: Final = "ext4"
MAKE: Final = ("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=1,lazy_journal_init=1,nodiscard")
"""Writes some megabytes, whatever the size: 0.1 s for 400 GB."""
MOUNTED_WITH: Final = "noinit_itable,discard,nodev,nosuid"
"""Nothing is written ahead of use, and what is deleted is given back to the machine's disk."""
LEAST_BYTES: Final = 2**20


@dataclass(frozen=True, slots=True)
class DiskImages:
    """The folder of a machine's images."""

    folder: Path
    are_mounted: bool
    """True if the engine has mounted one: new tenants get them."""

    def of(self, name: str) -> DiskImage:
        """The image for a volume of that name."""
        return DiskImage(self.folder / f"{name}.ext4", self.folder / f"{name}.device")


@dataclass(frozen=True, slots=True)
class DiskImage:
    """One image. Methods raise MachineFault."""

    file: Path
    link: Path
    """Symbolic link to its loop device: devices get new numbers after a reboot."""

    @property
    def exists(self) -> bool:
        """True until it is removed, also if the agent has died since."""
        return self.file.exists()

    @property
    def volume_options(self) -> Mapping[str, str]:
        """Options of a volume that the engine mounts from it."""
        return {"type": KIND, "device": str(self.link), "o": MOUNTED_WITH}

    async def create(self, size: int) -> None:
        """Makes it, empty, in place of an earlier one."""
        await self.remove()
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.file.open("xb") as file:
                file.truncate(max(size, LEAST_BYTES))
        except OSError as error:
            raise MachineFault(f"A disk image cannot be made: {error}", "Check the agent's --state-dir.") from error
        await _said(*MAKE, str(self.file))
        # Only mounts put things there, and tenants would see it.
        await _said("debugfs", "-w", "-R", "rmdir lost+found", str(self.file))
        await self.attach()

    async def attach(self) -> None:
        """Gives it a loop device if it has none, as after a reboot."""
        found = await self._devices() or [await _said("losetup", "--find", "--show", str(self.file))]
        if self.link.is_symlink() and str(self.link.readlink()) == found[0]:
            return
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(found[0])

    async def remove(self) -> None:
        """Wipes it; its volume must be gone."""
        if not self.exists:
            return
        for device in await self._devices():
            await _said("losetup", "--detach", device)
        self.link.unlink(missing_ok=True)
        self.file.unlink()

    async def _devices(self) -> Sequence[str]:
        listed = await _said("losetup", "--associated", str(self.file), "--noheadings", "--output", "NAME")
        return listed.split()


async def _said(*command: str) -> str:
    try:
        status, said = await run(*command)
    except OSError as error:
        raise MachineFault(f"{command[0]} cannot be run: {error}", "Install e2fsprogs and util-linux.") from error
    if status:
        raise MachineFault(f"{command[0]} failed with {status}: {said.strip()}")
    return said.strip()
