"""A tenant's /workspace: a separate volume, wiped with the tenancy, or sealed for a later rental with its key."""

from __future__ import annotations

import asyncio
import io
import tarfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any, Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.orders import OrderDocument
from anchor_client.orders.document import WORKSPACE_PATH
from host_agent.disk.sealed_archive import open_archive
from host_agent.disk.workspaces import KeptWorkspaces
from host_agent.docker.account_files import require_account_files
from host_agent.docker.container import LISTING, RENTAL, ROLE, TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.errors import ArchiveDamaged, MachineFault, OrderRefused, WorkspaceTooBig
from host_agent.settings.machine import MachineSettings

WORKSPACE: Final = "workspace"
KEEP: Final = "gpu-market.keep-workspace"
"""Set to the name of the kept workspace."""
KEEP_KEY: Final = "gpu-market.keep-workspace-key"
"""The public key, in hex, that it is sealed to."""
NEVER_RAN: Final = "created"
ATTEMPTS: Final = 3
"""Maximum attempts to seal a workspace while the engine fails."""

log = structlog.get_logger(__name__)


class Workspace:
    """The workspace of a listing's tenant. Methods raise MachineFault."""

    def __init__(self, engine: Engine, settings: MachineSettings, kept: KeptWorkspaces | None) -> None:
        self._engine = engine
        self._settings = settings
        self._kept = kept
        self._name = name_of(settings.listing, WORKSPACE)
        self._disk = None if settings.disks is None else settings.disks.of(self._name)
        self._failures = 0
        self._size = 0
        self._log = log.bind(listing=str(settings.listing))

    async def make(self, rental: Pubkey, order: OrderDocument) -> dict[str, Any]:
        """Replaces it with an empty one; returns its mount for a container."""
        await self.remove()
        labels = {LISTING: str(self._settings.listing), ROLE: WORKSPACE, RENTAL: str(rental)}
        public_key = order.workspace_public_key
        if order.keep_workspace is not None and public_key is not None:
            labels |= {KEEP: order.keep_workspace, KEEP_KEY: public_key.hex()}
        await self._make_volume(labels)
        self._failures = 0
        self._size = 0
        # What an image has there would come back after its removal from one that is kept.
        options = {"NoCopy": self._found(order) is not None}
        return {"Type": "volume", "Source": self._name, "Target": WORKSPACE_PATH, "VolumeOptions": options}

    async def fill(self, container: str, order: OrderDocument, until: float | None) -> None:
        """Fills an unstarted container with the kept workspace, or with an empty one that all its users may write to.
        OrderRefused if the kept one cannot be read, or not by `until` of the loop's time, or if the image leads
        elsewhere from there.
        """
        await self._require_folder(container)
        kept = self._found(order)
        key = order.workspace_seal_key
        if kept is None or key is None:
            await self._engine.volumes.put(container, "/", _empty())
            return
        begun = time.monotonic()
        damage = list[ArchiveDamaged]()
        try:
            async with asyncio.timeout_at(until):
                await self._engine.volumes.put(container, "/", _noting(open_archive(kept, key), damage))
        except TimeoutError as error:
            raise OrderRefused(
                "The kept workspace could not be unpacked before the order had to start",
                "Use another name for the workspace.",
            ) from error
        except MachineFault:
            if not damage:
                raise
        if damage:
            self._log.error("workspace_damaged", file=str(kept), error=damage[0].message, remedy=damage[0].remedy)
            raise OrderRefused("The kept workspace is damaged", "Use another name for the workspace.")
        self._log.info("workspace_opened", bytes=kept.stat().st_size, seconds=round(time.monotonic() - begun, 1))

    async def _require_folder(self, container: str) -> None:
        """A link would have the tenant's files mounted over what it points to, such as /proc, from which the engine
        reads while it starts the container.
        """
        found = await self._engine.volumes.stat(container, WORKSPACE_PATH)
        if found is not None and found.link is not None:
            raise OrderRefused(f"The image's {WORKSPACE_PATH} is a link", "Use another image.")

    async def size(self) -> int:
        """The bytes of all its files; those last measured while it is not mounted."""
        size = await self._engine.disk.volume(self._name)
        if size is not None:
            self._size = size
        return self._size

    async def seal(self) -> None:
        """Stops the tenant's container and seals its workspace, if the order requests it and the container has ever
        run.
        """
        volume = await self._engine.volumes.find(self._name)
        if self._kept is None or volume is None or KEEP not in volume.labels or self._settings.keep_days == 0:
            return
        container = await self._engine.container(self._settings.listing, TENANT)
        # It may have been filled in part: sealed, it would replace what was kept whole.
        if container is None or container.state == NEVER_RAN:
            self._log.warning("workspace_not_kept", error="Its container has never run, or is gone")
            return
        await self._engine.stop(container)
        await self.attach()
        try:
            await require_account_files(self._engine.volumes, container.id)
        except OrderRefused as error:
            self._log.warning("workspace_not_kept", error=error.message)
            return
        begun = time.monotonic()
        name = volume.labels[KEEP]
        public_key = bytes.fromhex(volume.labels[KEEP_KEY])
        most = self._settings.limits.workspace_bytes
        try:
            async with aclosing(self._engine.volumes.get(container.id, WORKSPACE_PATH)) as data:
                size = await self._kept.put(name, public_key, data, most, self._settings.keep_days)
        except (WorkspaceTooBig, OSError) as error:
            self._log.error("workspace_not_kept", error=str(error))
        except MachineFault as error:
            self._failures += 1
            # Tried again at the next look; but an engine that keeps failing must not block the next tenant.
            if self._failures < ATTEMPTS:
                raise
            self._log.error("workspace_not_kept", error=error.message)
        else:
            self._log.info("workspace_sealed", bytes=size, seconds=round(time.monotonic() - begun, 1))

    async def remove(self) -> None:
        """Wipes it after its container is gone."""
        await self._engine.volumes.remove(self._name)
        if self._disk is not None:
            await self._disk.remove()

    async def recover(self) -> None:
        """Wipes an image that an earlier run has left without its volume."""
        if self._disk is not None and self._disk.exists and await self._engine.volumes.find(self._name) is None:
            self._log.warning("disk_image_left_over", file=str(self._disk.file))
            await self._disk.remove()

    async def attach(self) -> None:
        """Makes its image ready to be mounted, before its container is started or read."""
        if self._disk is not None and self._disk.exists:
            await self._disk.attach()

    def drop_expired(self) -> None:
        """Wipes expired workspaces."""
        if self._kept is not None:
            self._kept.drop_expired()

    async def _make_volume(self, labels: Mapping[str, str]) -> None:
        size = self._settings.limits.workspace_bytes
        disks = self._settings.disks
        if size is None or self._disk is None or disks is None or not disks.are_mounted:
            await self._engine.volumes.create(self._name, labels, size)
            return
        await self._disk.create(size)
        await self._engine.volumes.create_mounted(self._name, labels, self._disk.volume_options)

    def _found(self, order: OrderDocument) -> Path | None:
        public_key = order.workspace_public_key
        if self._kept is None or order.keep_workspace is None or public_key is None:
            return None
        return self._kept.find(order.keep_workspace, public_key)


async def _empty() -> AsyncIterator[bytes]:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        folder = tarfile.TarInfo(WORKSPACE_PATH.removeprefix("/"))
        folder.type = tarfile.DIRTYPE
        # Images run as any user, and the container is not started yet.
        folder.mode = 0o777
        folder.mtime = int(time.time())
        tar.addfile(folder)
    yield archive.getvalue()


async def _noting(data: AsyncIterator[bytes], damage: list[ArchiveDamaged]) -> AsyncIterator[bytes]:
    """The same stream; records a failure of the archive, which the sender would replace with its own."""
    try:
        async for piece in data:
            yield piece
    except ArchiveDamaged as error:
        damage.append(error)
        raise
