"""A machine's own words over SSH, against a listing."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import asyncssh
import pytest

from anchor_client.generated.accounts import Listing
from anchor_client.rules.catalog import find_gpu
from anchor_client.sealing import Connection
from market_cli.machine_check import MachineUnreachable, ask, compare
from tests.processes.ports import free_ports

PASSWORD = "between us"
SMI = """#!/bin/sh
case "$1" in
  --query-gpu=*) printf 'NVIDIA H100 80GB HBM3, 81559\\nNVIDIA H100 80GB HBM3, 81559\\n' ;;
  *) echo '| NVIDIA-SMI 570.1   Driver Version: 570.1   CUDA Version: 12.8 |' ;;
esac
"""


class _Login(asyncssh.SSHServer):
    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return password == PASSWORD


@asynccontextmanager
async def machine(tools: Path) -> AsyncIterator[Connection]:
    """An SSH server whose commands run in a real shell that finds `tools` first."""
    key = asyncssh.generate_private_key("ssh-ed25519")

    async def run(process: asyncssh.SSHServerProcess[str]) -> None:
        path = f"{tools}:{os.environ['PATH']}"
        shell = await asyncio.create_subprocess_exec(
            "sh", "-c", process.command or "", env={"PATH": path}, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await shell.communicate()
        process.stdout.write(out.decode())
        process.exit(shell.returncode or 0)

    server = await asyncssh.listen("127.0.0.1", 0, server_factory=_Login, server_host_keys=[key], process_factory=run)
    async with server:
        public = key.export_public_key().decode().strip()
        yield Connection(host="127.0.0.1", port=server.get_port(), user="root", password=PASSWORD, host_key=public)


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    smi = tmp_path / "nvidia-smi"
    smi.write_text(SMI)
    smi.chmod(0o755)
    return tmp_path


def listing(**changes: Any) -> Listing:
    model = find_gpu("nvidia-h100-sxm5-80gb")
    listed = {
        "gpu_model": model.id,
        "gpu_count": 2,
        "vram_gb": 80,
        "cpu_cores": 1,
        "ram_gb": 1,
        "disk_gb": 1,
        "cuda": 1208,
    }
    return cast(Listing, SimpleNamespace(**listed | changes))


async def test_verify__machine_as_listed__agrees_in_everything(tools: Path) -> None:
    async with machine(tools) as connection:
        found = compare(listing(), await ask(connection))
    assert [each.what for each in found] == ["GPU", "GPUs", "VRAM of each", "CPU cores", "RAM", "disk", "CUDA"]
    assert all(each.agrees for each in found), found


@pytest.mark.parametrize(
    ("changes", "less"),
    [
        ({"gpu_model": find_gpu("nvidia-h200-sxm5-141gb").id}, "GPU"),
        ({"gpu_count": 3}, "GPUs"),
        ({"vram_gb": 141}, "VRAM of each"),
        ({"cpu_cores": 65_535}, "CPU cores"),
        ({"ram_gb": 10**6}, "RAM"),
        ({"disk_gb": 10**7}, "disk"),
        ({"cuda": 1300}, "CUDA"),
    ],
)
async def test_verify__less_than_listed__says_what(tools: Path, changes: dict[str, int], less: str) -> None:
    async with machine(tools) as connection:
        found = compare(listing(**changes), await ask(connection))
    assert [each.what for each in found if each.agrees is False] == [less]


async def test_verify__no_driver_in_the_image__cannot_be_told(tmp_path: Path) -> None:
    async with machine(tmp_path) as connection:
        found = compare(listing(), await ask(connection))
    assert {each.what for each in found if each.agrees is None} == {"GPU", "GPUs", "VRAM of each", "CUDA"}


@pytest.mark.parametrize(
    "change",
    [
        lambda it: {"port": free_ports()},
        lambda it: {"password": "guessed"},
        lambda it: {"host_key": asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode().strip()},
    ],
)
async def test_verify__another_machine_or_none__is_not_believed(
    tools: Path, change: Callable[[Connection], dict[str, object]]
) -> None:
    async with machine(tools) as connection:
        with pytest.raises(MachineUnreachable):
            await ask(connection.model_copy(update=change(connection)))
