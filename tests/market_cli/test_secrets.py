"""A key in the RPC URL is said nowhere: every output of commands and services is searched for it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from solders.keypair import Keypair

from tests.anchor_client.solana.proxy import Proxy
from tests.indexer.service import until
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

KEY = "c0ffee5ec2e7c0ffee5ec2e7c0ffee5e"
LONG = pytest.mark.exhaustive
WALLET = "So11111111111111111111111111111111111111112"
COMMAND = "from market_cli.main import run; run()"
HTML = "<html>no</html>"
ORDER = {"renter": WALLET, "duration": 3_600, "order_hash": "ab" * 32}


@pytest.fixture
async def node() -> AsyncIterator[Proxy]:
    """A node that is down."""
    async with Proxy("http://127.0.0.1:9") as proxy:
        yield proxy


def environment(node: Proxy, tmp_path: Path, **settings: str) -> dict[str, str]:
    """A home of its own and a URL with the key in its path, its query and its user."""
    own = {name: str(tmp_path) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    url = f"{node.url.replace('://', f'://me:{KEY}@')}/v2/{KEY}?api-key={KEY}"
    return os.environ | own | {"GPU_MARKET_RPC_URL": url, "GPU_MARKET_KEYPAIR": Keypair().to_json()} | settings


async def said(*arguments: str, env: dict[str, str], code: str = COMMAND) -> str:
    """Runs a command; returns its output on both streams."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        code,
        *arguments,
        env=env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(60):
        out, _ = await process.communicate()
    return out.decode()


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("config show", 403),
        pytest.param("config show --json", 403, marks=LONG),
        ("--verbose listings", 429),
        pytest.param("listings --json", HTML, marks=LONG),
        pytest.param("wallet show", 503, marks=LONG),
        ("keeper --once --verbose", HTML),
    ],
)
async def test_command__node_that_fails__keeps_the_key(
    node: Proxy, tmp_path: Path, command: str, fault: int | str
) -> None:
    for method in ("getMultipleAccounts", "getProgramAccounts", "getBalance", "simulateTransaction"):
        if isinstance(fault, int):
            node.statuses[method] = fault
        else:
            node.bodies[method] = [fault] * 9
    text = await said(*command.split(), env=environment(node, tmp_path))
    assert text and KEY not in text
    assert f"127.0.0.1:{node.port}" in text or "wallet" in text


@pytest.mark.parametrize("command", ["listings", *(pytest.param(name, marks=LONG) for name in ("indexer", "keeper"))])
async def test_command__wrong_url__keeps_the_key(tmp_path: Path, node: Proxy, command: str) -> None:
    for url in (f"ftp://x.example/{KEY}", f"http://x.example:port/?{KEY}", f"http://[::1/{KEY}"):
        text = await said(command, env=environment(node, tmp_path, GPU_MARKET_RPC_URL=url))
        assert "error:" in text and KEY not in text, text


async def test_traceback__of_a_bug__keeps_the_key(tmp_path: Path, node: Proxy) -> None:
    bug = """
import market_cli.main as main
from anchor_client.solana.node import NodeClient
async def broken(self, *given):
    raise ZeroDivisionError(self.endpoint.url)
NodeClient.get_multiple_accounts = NodeClient.get_program_accounts = broken
main.run()
"""
    text = await said("listings", env=environment(node, tmp_path), code=bug)
    assert "Traceback" in text and "ZeroDivisionError" in text and KEY not in text


@pytest.mark.exhaustive
async def test_indexer__node_that_fails__keeps_the_key_from_everybody(node: Proxy, tmp_path: Path) -> None:
    port = free_ports(2)
    env = environment(
        node,
        tmp_path,
        GPU_MARKET_DATABASE_URL=f"sqlite:///{tmp_path / 'index.db'}",
        GPU_MARKET_PORT=str(port),
        GPU_MARKET_METRICS_PORT=str(port + 1),
        GPU_MARKET_MAX_LAG="0.001",
    )
    service = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", COMMAND, "--verbose", "indexer"),
        env=env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told: list[str] = []
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as api:

        async def failing() -> bool:
            try:
                health = await api.get("/health")
            except httpx.TransportError:
                return False
            told.append(health.text)
            return "127.0.0.1" in health.text

        try:
            await until(failing, seconds=60)
            for fault in (403, 429, 503):
                node.statuses = dict.fromkeys(("getMultipleAccounts", "getProgramAccounts"), fault)
                told.append((await api.get(f"/api/quota/{WALLET}")).text)
                told.append((await api.post("/api/jobs", json=ORDER)).text)
                told.append((await api.delete(f"/api/jobs/{WALLET}")).text)
            told += [(await api.get(path)).text for path in ("/health", "/openapi.json", "/docs")]
            told.append((await api.get(f"http://127.0.0.1:{port + 1}/metrics")).raise_for_status().text)
        finally:
            service.terminate()
            async with asyncio.timeout(PATIENCE):
                out, _ = await service.communicate()
    told.append(out.decode())
    assert "looking at the chain failed" in told[-1]
    assert json.loads(told[0])["problems"]
    assert [text for text in told if KEY in text] == []
