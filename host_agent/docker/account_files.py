"""The files that an engine reads of a container's own as it starts it, or copies files from it. A device or a pipe in
their place would keep it reading, or waiting, with the container locked.
"""

from __future__ import annotations

from typing import Final

from host_agent.docker.volumes import FileStat, Volumes
from host_agent.errors import OrderRefused

ACCOUNT_FILES: Final = ("/etc/passwd", "/etc/group")
MOST_BYTES: Final = 2**20


async def require_account_files(volumes: Volumes, container: str) -> None:
    """OrderRefused if a stopped container has other files than small ones, or none, in these places. MachineFault."""
    for path in ACCOUNT_FILES:
        found = await volumes.stat(container, path)
        if found is not None and found.link is not None:
            found = await volumes.stat(container, found.link) or FileStat(is_file=False, size=0, link=None)
        if found is not None and (not found.is_file or found.size > MOST_BYTES):
            raise OrderRefused(
                f"The container's {path} is no file of at most {MOST_BYTES // 2**20} MiB", "Use another image."
            )
