"""Sources and indexers of a topic in processes of their own, which can be suspended and killed."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from localnet.server import LocalCluster
from tests.e2e.console import Console
from tests.indexer.service import metrics_of, until
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

IDLE_SECONDS = 3
RUN = f"""
from indexer.store import database
from market_cli.main import run
database.IDLE_SECONDS = {IDLE_SECONDS}
run()
"""
"""The console script, with a shorter limit for suspended writers."""


@dataclass(frozen=True, slots=True)
class IndexerProcess:
    """A process of `gpu-market indexer`, and a client of its API."""

    process: asyncio.subprocess.Process
    api: httpx.AsyncClient

    def signal(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        self.process.send_signal(number)

    async def kill(self) -> None:
        """Ends it at once: kill -9."""
        self.process.kill()
        await self.process.wait()

    async def until_active(self, is_active: bool = True) -> None:
        """Waits until it is the indexer that writes, or no longer is."""
        told = f"gpu_market_indexer_projector_active {float(is_active)}"

        async def tells() -> bool:
            return told in await metrics_of(self.api)

        await until(tells)


@asynccontextmanager
async def indexer(
    local: LocalCluster, home: Path, topic: Mapping[str, Any], *command: str, **settings: object
) -> AsyncIterator[IndexerProcess]:
    """`gpu-market indexer` with a command, from its ready line until the block ends or it is killed."""
    port = free_ports(2)
    told = {
        **topic,
        **settings,
        "rpc_url": local.http_url,
        "ws_url": local.ws_url,
        "port": port,
        "metrics_port": port + 1,
        "workers": 0,
    }
    environment = {**Console(home).environment, **{f"GPU_MARKET_{key.upper()}": str(told[key]) for key in told}}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", RUN, "indexer", *command, "--json"),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            assert json.loads(await process.stdout.readline())["ready"]
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as api:
            yield IndexerProcess(process, api)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
