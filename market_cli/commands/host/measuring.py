"""Measuring this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path

from host_agent.detect.benchmark import Figures, download_mbps, measure
from host_agent.detect.machine import Hardware, read_hardware
from host_agent.docker.engine import Engine
from host_agent.errors import MachineFault
from market_cli.errors import BadOption
from market_cli.session import Session


def look(where: Path) -> tuple[Hardware, Figures]:
    """What the machine has besides its GPUs, and does. MachineFault."""
    try:
        return read_hardware(where), measure(where)
    except OSError as error:
        raise MachineFault(
            f"The disk at {where} cannot be measured: {error}", "Name another with --disk-path."
        ) from error


async def downloaded(url: str) -> int:
    """Mbit/s. BadOption."""
    try:
        return await asyncio.to_thread(download_mbps, url)
    except OSError as error:
        raise BadOption(f"{url} cannot be downloaded: {error}", "Name another URL with --download.") from error


async def where_containers_are(session: Session, url: str | None) -> Path:
    """The folder that the engine keeps them in; / without an engine here."""
    try:
        async with Engine.connect(url) as engine:
            root = await engine.data_root()
    except MachineFault as error:
        session.out.note(f"{error.message}: looking at the disk of /.")
        return Path("/")
    return root if root.exists() else Path("/")
