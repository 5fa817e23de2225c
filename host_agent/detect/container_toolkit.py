"""NVIDIA's container toolkit, whose hooks run as root outside a container, with files and settings of its image."""

from __future__ import annotations

import asyncio
import re
from typing import Final, TypeAlias

from host_agent.commands import run

Version: TypeAlias = tuple[int, int, int]
SAFE: Final = (1, 17, 8)
"""The first that keeps an image from running programs as root on the machine; older ones have CVE-2025-23266, and
those before 1.17.4 CVE-2025-23359 as well.
"""
TOOLS: Final = ("nvidia-ctk", "nvidia-container-cli")
"""Programs of the toolkit, which have its version; early releases have the second alone."""
VERSION: Final = re.compile(r"version:? v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})", re.ASCII)
SECONDS: Final = 10.0
"""Time for an answer."""


async def toolkit_version() -> Version | None:
    """The version that is installed here; None if there is none, or if it does not answer."""
    for tool in TOOLS:
        try:
            async with asyncio.timeout(SECONDS):
                _, said = await run(tool, "--version")
        except (OSError, TimeoutError):
            continue
        if (found := VERSION.search(said)) is not None:
            major, minor, patch = map(int, found.groups())
            return major, minor, patch
    return None


def toolkit_fault(version: Version | None) -> str | None:
    """The reason for which a machine with this version should not be rented, with a remedy."""
    if version is None or version >= SAFE:
        return None
    return (
        f"NVIDIA's container toolkit {dotted(version)} lets an order's image run programs as root on this machine "
        f"(CVE-2025-23266); update it to {dotted(SAFE)} or newer: `apt-get install nvidia-container-toolkit`"
    )


def dotted(version: Version) -> str:
    """A version as it is written."""
    return ".".join(map(str, version))
