"""Logs of services: JSON where nobody looks, lines for people where asked to, and no key in either."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.anchor_client.solana.proxy import Proxy
from tests.market_cli.test_secrets import COMMAND, KEY, environment


@pytest.fixture
async def node() -> AsyncIterator[Proxy]:
    """A node that is down."""
    async with Proxy("http://127.0.0.1:9") as proxy:
        proxy.statuses = dict.fromkeys(("getMultipleAccounts", "getProgramAccounts"), 503)
        yield proxy


async def first_line(*arguments: str, env: dict[str, str]) -> str:
    """First line of a service on standard error."""
    service = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", COMMAND, *arguments),
        env=env,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert service.stderr is not None
    try:
        async with asyncio.timeout(60):
            return (await service.stderr.readline()).decode()
    finally:
        service.terminate()
        await service.communicate()


@pytest.mark.parametrize(
    "arguments",
    [
        ("keeper",),
        pytest.param(("keeper", "--verbose"), marks=pytest.mark.exhaustive),
        pytest.param(("keeper", "--log-format", "json"), marks=pytest.mark.exhaustive),
    ],
)
async def test_keeper__no_terminal__logs_json(node: Proxy, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    line = await first_line(*arguments, env=environment(node, tmp_path))
    told = json.loads(line)
    assert told["event"] and told["level"] and told["timestamp"].endswith("Z") and KEY not in line


@pytest.mark.exhaustive
async def test_keeper__console_asked_for__logs_for_people(node: Proxy, tmp_path: Path) -> None:
    line = await first_line("keeper", "--log-format", "console", env=environment(node, tmp_path))
    assert "keeper_started" in line and not line.startswith("{") and KEY not in line
