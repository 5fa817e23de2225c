"""Detection and measurement of this machine, for several commands."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from host_agent.detect.benchmark import MeasuredSpeeds, download_mbps, measure
from host_agent.detect.gpu_probe import Probed, probe_gpus
from host_agent.detect.gpus import Gpus, find_gpus
from host_agent.detect.machine import Hardware, read_hardware
from host_agent.docker.engine import Engine
from host_agent.errors import MachineFault
from market_cli.errors import BadOption
from market_cli.session import CliSession


@dataclass(frozen=True, slots=True)
class MeasuredMachine:
    """A machine's hardware and its measured speeds."""

    gpus: Gpus
    hardware: Hardware
    figures: MeasuredSpeeds
    probed: Probed
    down_mbps: int | None
    """None without a download."""


async def measured(session: CliSession, disk: Path | None, engine: str | None, download: str | None) -> MeasuredMachine:
    """Detects this machine's hardware and measures it for a few seconds. MachineFault, BadOption."""
    gpus = await find_gpus()
    where = disk or await where_containers_are(session, engine)
    hardware, figures = await asyncio.to_thread(_look, where)
    probed = await probe_gpus()
    down_mbps = None if download is None else await _downloaded(download)
    return MeasuredMachine(gpus, hardware, figures, probed, down_mbps)


def _look(where: Path) -> tuple[Hardware, MeasuredSpeeds]:
    try:
        return read_hardware(where), measure(where)
    except OSError as error:
        raise MachineFault(
            f"The disk at {where} cannot be measured: {error}", "Name another with --disk-path."
        ) from error


async def _downloaded(url: str) -> int:
    try:
        return await asyncio.to_thread(download_mbps, url)
    except OSError as error:
        raise BadOption(f"{url} cannot be downloaded: {error}", "Name another URL with --download.") from error


async def where_containers_are(session: CliSession, url: str | None) -> Path:
    """The engine's directory, or / without an engine here."""
    try:
        async with Engine.connect(url) as engine:
            root = await engine.data_root()
    except MachineFault as error:
        session.out.note(f"{error.message}: using the disk of /.")
        return Path("/")
    return root if root.exists() else Path("/")
