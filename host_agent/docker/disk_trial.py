"""A trial, as the agent starts: does the engine mount a disk image? It may run elsewhere, or lack loop devices."""

from __future__ import annotations

from typing import Final

from solders.pubkey import Pubkey

from host_agent.disk.file_systems import DiskImages
from host_agent.docker.container import LISTING, ROLE, name_of
from host_agent.docker.control import PROGRAM, good_image
from host_agent.docker.engine import Engine

TRIAL: Final = "trial"
SIZE: Final = 16 * 2**20
PLACE: Final = "/disk"


async def try_disk_image(engine: Engine, images: DiskImages, listing: Pubkey) -> None:
    """Starts a container with a volume from a small image, and removes all of it. MachineFault if that fails."""
    name = name_of(listing, TRIAL)
    image = images.of(name)
    labels = {LISTING: str(listing), ROLE: TRIAL}
    await _clear(engine, images, listing)
    program = await engine.import_image(good_image(await engine.architecture()))
    try:
        await image.create(SIZE)
        await engine.volumes.create_mounted(name, labels, image.volume_options)
        mount = {"Type": "volume", "Source": name, "Target": PLACE}
        host = {"Mounts": [mount], "NetworkMode": "none"}
        config = {"Image": program, "Entrypoint": [f"/{PROGRAM}"], "Cmd": [], "Labels": labels, "HostConfig": host}
        await engine.run(listing, TRIAL, config)
    finally:
        await _clear(engine, images, listing)
        await engine.remove_image(program)


async def _clear(engine: Engine, images: DiskImages, listing: Pubkey) -> None:
    left = await engine.container(listing, TRIAL)
    if left is not None:
        await engine.remove(left)
    name = name_of(listing, TRIAL)
    await engine.volumes.remove(name)
    await images.of(name).remove()
