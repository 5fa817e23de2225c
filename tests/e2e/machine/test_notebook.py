"""`rent --notebook` and `gpu-market notebook` with Jupyter itself: what is typed here is computed on the machine."""

from __future__ import annotations

import asyncio
import json
import signal
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest
import websockets
from xprocess import XProcess

from tests.deploy import images
from tests.e2e.console import SCRIPT
from tests.e2e.machine.hosts import Host, listed_host
from tests.e2e.seeded import UpProcess
from tests.host_agent.docker.engine import OwnEngine
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.docker
JUPYTER = "gpu-market-test/jupyter:1"
CODE = "import os, pathlib; pathlib.Path('/workspace/kept').write_text('x'); print(6 * 7, os.environ['WHO'])"


@pytest.fixture
def host(
    engine: OwnEngine, xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory, up: UpProcess
) -> Iterator[Host]:
    """A machine whose engine has Jupyter's image."""
    images.require()
    images.keep(engine, JUPYTER, "Containerfile.jupyter", images.python(engine))
    machine = ("--gpu", "nvidia-h200-sxm5-141gb", "--price", "3.10")
    made = listed_host(xprocess, up, engine, tmp_path_factory.mktemp("notebook"), *machine)
    made.start()
    yield made
    made.kill()


@asynccontextmanager
async def opened(host: Host, job: str) -> AsyncIterator[str]:
    """The address that the command prints, until Ctrl-C."""
    words = ("notebook", job, "--no-open", "--json")
    running = await asyncio.create_subprocess_exec(
        SCRIPT, *words, env=host.up.console.environment, stdout=PIPE, stderr=PIPE
    )
    assert running.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE):
            told: dict[str, str] = {}
            while "url" not in told:  # until then it tells the job's way to running
                told = json.loads(await running.stdout.readline())
        yield told["url"]
    finally:
        running.send_signal(signal.SIGINT)
        _, said = await running.communicate()
    assert running.returncode == 130, said


async def computed(url: str, token: str, code: str) -> str:
    """Output of code in a new kernel."""
    async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"token {token}"}, timeout=PATIENCE) as api:
        kernel = (await api.post("/api/kernels", json={})).raise_for_status().json()["id"]
    message = {
        "header": {"msg_id": uuid4().hex, "msg_type": "execute_request", "session": uuid4().hex, "version": "5.3"},
        "parent_header": {},
        "metadata": {},
        "content": {"code": code, "silent": False},
        "channel": "shell",
    }
    channels = f"ws{url.removeprefix('http')}/api/kernels/{kernel}/channels?token={token}"
    async with websockets.connect(channels) as socket, asyncio.timeout(PATIENCE):
        await socket.send(json.dumps(message))
        async for said in socket:
            heard = json.loads(said)
            assert heard["msg_type"] != "error", heard["content"]
            if heard["msg_type"] == "stream":
                return str(heard["content"]["text"])
    raise AssertionError("the kernel has printed nothing")


async def test_notebook__jupyter_itself__computes_on_the_rented_machine(host: Host) -> None:
    job = host.rent("--notebook", "--image", JUPYTER, "--env", "WHO=me")
    async with opened(host, job) as address:
        parts = urlsplit(address)
        url, [token] = f"http://{parts.netloc}", parse_qs(parts.query)["token"]
        assert parts.hostname == "127.0.0.1"
        async with httpx.AsyncClient(timeout=PATIENCE) as stranger:
            assert (await stranger.get(f"{url}/api/kernels")).status_code == 403
        assert await computed(url, token, CODE) == "42 me\n"
        assert host.engine.run_in(host.tenant, "cat", "/workspace/kept") == "x"
    host.up.console.json("stop", job)
