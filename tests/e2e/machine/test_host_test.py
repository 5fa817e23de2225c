"""`gpu-market host test` on a real Docker engine, with an image that plays the part of NVIDIA's tool."""

from __future__ import annotations

import asyncio
import json
import signal
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from xprocess import XProcess

from tests.e2e.console import SCRIPT
from tests.e2e.machine.hosts import Host, listed_host
from tests.e2e.seeded import UpProcess
from tests.host_agent.docker.engine import IMAGE, OwnEngine, with_file
from tests.indexer.service import until
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.docker
GPU = ("--gpu", "nvidia-rtx-4090-24gb", "--gpus", "1", "--price", "0.40")
SMALL = ("--cpu-cores", "1", "--ram-gb", "1", "--disk-gb", "5", "--disk-mbps", "1", "--cuda", "12.0")
WITH_TOOL = "gpu-market-test/with-tool:1"
TOOL = b"""#!/bin/sh
case "$1" in
  --query-gpu=*) echo 'NVIDIA GeForce RTX 4090, 24564, 570.86.15, 4, 16' ;;
  *) echo 'CUDA Version: 12.8' ;;
esac
"""


BROKEN = "gpu-market-test/broken-tool:1"
NO_NVML = b"#!/bin/sh\necho 'Failed to initialize NVML: Unknown Error'\nexit 255\n"
SLOW = "gpu-market-test/slow-tool:1"
NEVER = b"#!/bin/sh\nexec sleep 1000\n"


def with_tool(tool: bytes = TOOL) -> bytes:
    """A shell and an nvidia-smi, as a tar archive."""
    return with_file(tool, "bin/nvidia-smi", 0o755)


def failed(told: Mapping[str, Any]) -> dict[str, str]:
    """Specs that fell short, with the values found."""
    [tested] = told["listings"]
    assert not told["passed"] and not tested["published"]
    return {each["what"]: each["found"] for each in tested["findings"] if each["agrees"] is False}


@pytest.fixture
def host(engine: OwnEngine, xprocess: XProcess, tmp_path: Path, up: UpProcess) -> Host:
    return listed_host(xprocess, up, engine, tmp_path, *GPU, *SMALL)


async def test_host_test__machine_as_listed__passes_and_is_published(host: Host) -> None:
    host.engine.docker("import", "--change", 'CMD ["/bin/sh"]', "-", WITH_TOOL, given=with_tool())
    told = host.up.console.json("host", "test", *host.options("--image", WITH_TOOL))
    [tested] = told["listings"]
    assert told["passed"] and tested["published"] and tested["listing"] == host.listing
    found = {each["what"]: each["found"] for each in tested["findings"]}
    assert (found["ports, from here"], found["ports, from outside"]) == ("6 of 6", "7 of 7")
    assert found["wipe"] == "nothing is left"
    async with httpx.AsyncClient(base_url=host.up.ready["api_url"], timeout=PATIENCE) as api:

        async def shown() -> bool:
            measured = (await api.get(f"/api/marketplace/listings/{host.listing}")).json()["measured"]
            return bool(measured) and measured["tested"] is True

        await until(shown)
    assert "passed its host's own test" in host.up.console.run("listing", host.listing).stdout.replace("\n", " ")


def test_host_test__machine_without_its_gpu__fails_and_says_what_is_less(host: Host) -> None:
    told = host.up.console.json("host", "test", *host.options("--image", IMAGE), code=1)
    [tested] = told["listings"]
    assert not told["passed"] and not tested["published"]
    failed = {each["what"] for each in tested["findings"] if each["agrees"] is False}
    assert failed == {"GPUs"}
    host.start()
    busy = host.up.console.run("host", "test", *host.options("--image", IMAGE), code=2).stderr
    host.kill()
    assert "Another agent on this machine serves the listing" in busy


def test_host_test__machine_or_image_that_fails__says_what_and_leaves_nothing(host: Host) -> None:
    host.engine.docker("import", "--change", 'CMD ["/bin/sh"]', "-", BROKEN, given=with_tool(NO_NVML))
    console = host.up.console
    assert failed(console.json("host", "test", *host.options("--image", BROKEN), code=1)).keys() == {"GPUs"}
    missing = failed(console.json("host", "test", *host.options("--image", "127.0.0.1:1/no/such:1"), code=1))
    assert missing.keys() == {"order"} and "127.0.0.1:1" in missing["order"]
    assert host.tenant not in host.engine.names("ps", "--all")
    away = console.run("host", "test", *host.options(), "--engine", "unix:///no/such.sock", code=2)
    assert "/no/such.sock" in away.stderr and "Traceback" not in away.stderr
    nothing = json.loads(console.run("host", "test", *host.options(), "--engine", "nonsense", "--json", code=2).stdout)
    assert nothing["error"]


async def test_host_test__interrupted__wipes_the_machine(host: Host) -> None:
    host.engine.docker("import", "--change", 'CMD ["/bin/sh"]', "-", SLOW, given=with_tool(NEVER))
    words = ("host", "test", *host.options("--image", SLOW))
    test = await asyncio.create_subprocess_exec(
        SCRIPT, *words, env=host.up.console.environment, stdout=PIPE, stderr=PIPE
    )

    async def runs() -> bool:
        return host.tenant in host.engine.names("ps")

    try:
        await until(runs)
        test.send_signal(signal.SIGINT)
        async with asyncio.timeout(PATIENCE):
            _, said = await test.communicate()
    finally:
        if test.returncode is None:
            test.kill()
            await test.wait()
    assert test.returncode == 130 and b"Traceback" not in said
    assert host.tenant not in host.engine.names("ps", "--all") | host.engine.names("network", "ls")
