"""A gateway whose tenant's container is a folder on this machine: run as `host_agent.gateway` is."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from host_agent.gateway.daemon import main
from host_agent.gateway.documents import Opening
from host_agent.ssh import Inside
from host_agent.web import Streams
from tests.host_agent.docker.process_inside import ProcessInside

INSTALLED = (
    "host_agent",
    "anchor_client",
    "asyncssh",
    "websockets",
    "structlog",
    "msgspec",
    "cryptography",
    "aiodocker",
)


class NothingNew:
    """Refuses to import packages that a gateway gets from an installation."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """ImportError for a part of one of them; otherwise nothing, so that others look."""
        if name.partition(".")[0] in INSTALLED:
            raise ImportError(f"{name} is imported after the start")


class FolderContainer:
    """Exists as long as its folder does."""

    def __init__(self, folder: Path) -> None:
        self.inside: Inside = ProcessInside(folder)
        self._folder = folder

    async def connect(self, port: int) -> Streams:
        """Connects to a port of this machine."""
        return await asyncio.open_connection("127.0.0.1", port)

    async def is_gone(self) -> bool:
        """True once the folder is removed."""
        return not self._folder.exists()


@asynccontextmanager
async def reach(opening: Opening, closed: Callable[[], str | None]) -> AsyncIterator[FolderContainer]:
    """The folder that an opening names. From now on nothing is imported: an update may have replaced the files."""
    sys.meta_path.insert(0, NothingNew())
    yield FolderContainer(Path(opening.place.container))


if __name__ == "__main__":
    main(sys.argv[1:], lambda: reach)
