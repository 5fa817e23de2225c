"""Directories whose disks the agent guards, by what an engine says of its storage."""

from __future__ import annotations

from pathlib import Path

import pytest

from host_agent.docker.engine import CONTAINERD_ROOT, Engine
from tests.host_agent.docker.stub import stub_engine

OWN = Path("/nowhere")


@pytest.mark.parametrize(
    ("status", "roots"),
    [
        (None, [OWN]),
        ([["Backing Filesystem", "extfs"]], [OWN]),
        ([["driver-type", "io.containerd.snapshotter.v1"]], [OWN, CONTAINERD_ROOT]),
    ],
    ids=["nothing", "overlay2", "containerd"],
)
async def test_disk_roots__images_left_to_containerd__its_folder_is_guarded_too(
    status: list[list[str]] | None, roots: list[Path]
) -> None:
    async with stub_engine() as stub:
        stub.driver_status = status
        async with Engine.connect(stub.url) as engine:
            assert await engine.disk_roots() == roots
