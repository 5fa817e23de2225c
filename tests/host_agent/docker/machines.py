"""Machines of an agent on a Docker engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from solders.pubkey import Pubkey

from anchor_client.sealing import SealKey
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.identity import MachineIdentity
from host_agent.settings.machine import ContainerLimits, MachineSettings
from tests.host_agent.docker.engine import OwnEngine
from tests.processes.ports import free_ports

HERE = "127.0.0.1"
SHARED_MEMORY = ContainerLimits(shared_memory_bytes=64 * 2**20)


def settings_here(**changes: Any) -> MachineSettings:
    """Of a listing of its own on this computer, without GPUs; `changes` by name."""
    given = MachineSettings(
        listing=Pubkey.new_unique(),
        address=HERE,
        bind=HERE,
        first_port=free_ports(8),
        gpus=(),
        limits=SHARED_MEMORY,
    )
    return replace(given, **changes)


@asynccontextmanager
async def machine_on(
    engine: OwnEngine, settings: MachineSettings, folder: Path, key: SealKey | None = None
) -> AsyncIterator[DockerMachine]:
    """A machine, whose tenant is wiped in the end."""
    identity = MachineIdentity.load_or_create(folder, settings.address)
    async with Engine.connect(engine.url) as connected:
        made = DockerMachine(connected, settings, key or SealKey.generate(), identity)
        yield made
        await made.vacate()
