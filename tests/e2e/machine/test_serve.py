"""`gpu-market serve MODEL` against the stand-in for vLLM of a simulated machine."""

from __future__ import annotations

import asyncio
import json
import signal
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.e2e.console import SCRIPT
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.xdist_group("up")
NAME = "Qwen/Qwen2.5-7B-Instruct"
NAMES = {"id", "url", "key", "model"}
"""Fields that are kept of the lines."""
CHAT = {"model": NAME, "messages": [{"role": "user", "content": "Are you there?"}]}


@asynccontextmanager
async def opened(up: UpProcess, *words: str) -> AsyncIterator[dict[str, Any]]:
    """The command's last line before it forwards until Ctrl-C, with the job that it has ordered."""
    running = await asyncio.create_subprocess_exec(
        SCRIPT, *words, "--json", env=up.console.environment, stdout=PIPE, stderr=PIPE
    )
    assert running.stdout is not None
    told: dict[str, Any] = {}
    try:
        async with asyncio.timeout(PATIENCE):
            while "url" not in told:
                line = await running.stdout.readline()
                assert line, await running.communicate()
                told = {**told, **{name: value for name, value in json.loads(line).items() if name in NAMES}}
        yield told
    finally:
        running.send_signal(signal.SIGINT)
        await running.communicate()
    assert running.returncode == 130


async def test_serve__model__answers_who_has_the_key_alone(up: UpProcess) -> None:
    words = ("serve", NAME, "--gpu", "nvidia-h200-sxm5-141gb", "--duration", "1h")
    async with opened(up, *words) as told, httpx.AsyncClient(timeout=PATIENCE) as client:
        assert told["model"] == NAME and told["url"].startswith("http://127.0.0.1:")
        mine = {"Authorization": f"Bearer {told['key']}"}
        for stranger in ({}, {"Authorization": "Bearer x"}):
            assert (await client.get(f"{told['url']}/models", headers=stranger)).status_code == 401
            chat = f"{told['url']}/chat/completions"
            assert (await client.post(chat, json=CHAT, headers=stranger)).status_code == 401
        [model] = (await client.get(f"{told['url']}/models", headers=mine)).json()["data"]
        assert model["id"] == NAME
        said = (await client.post(chat, json=CHAT, headers=mine)).json()["choices"][0]["message"]["content"]
        assert "simulated model" in said and "Are you there?" in said
        streamed = await client.post(chat, json={**CHAT, "stream": True}, headers=mine)
        assert streamed.text.rstrip().endswith("data: [DONE]")
    connection = up.console.json("job", told["id"], "--connection")
    async with httpx.AsyncClient(timeout=PATIENCE, verify=False) as anyone:
        assert (await anyone.get(f"{connection['urls']['8000']}v1/models")).status_code == 401
        assert (await anyone.get(f"{connection['urls']['8000']}v1/models", headers=mine)).status_code == 200
    async with opened(up, "endpoint", told["id"]) as again:
        assert again["key"] == told["key"]
    up.console.run("stop", told["id"])


async def test_endpoint__of_a_job_without_a_model__is_refused(up: UpProcess) -> None:
    rented, *_ = up.console.lines("rent", "--gpu", "nvidia-h200-sxm5-141gb", "--duration", "1h", "--wait")
    refused = up.console.run("endpoint", rented["id"], code=2)
    assert "gpu-market serve MODEL" in refused.stderr
    up.console.run("stop", rented["id"])


async def test_notebook__on_a_simulated_machine__is_jupyter_or_says_that_there_is_none(up: UpProcess) -> None:
    rented, *_ = up.console.lines("rent", "--gpu", "nvidia-h200-sxm5-141gb", "--duration", "1h", "--notebook", "--wait")
    async with (
        opened(up, "notebook", rented["id"], "--no-open") as told,
        httpx.AsyncClient(timeout=PATIENCE, follow_redirects=True) as client,
    ):
        page = await client.get(told["url"])
        assert page.status_code == 200 or "Jupyter is not installed on this computer" in page.text
    up.console.run("stop", rented["id"])
