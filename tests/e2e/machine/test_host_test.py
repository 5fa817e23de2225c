"""`gpu-market host test` on a real Docker engine, with an image that plays the part of NVIDIA's tool."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import httpx
import pytest
from xprocess import XProcess

from tests.e2e.machine.hosts import Host, listed_host
from tests.e2e.seeded import UpProcess
from tests.host_agent.docker.engine import IMAGE, OwnEngine, busybox
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


def with_tool() -> bytes:
    """A shell and an nvidia-smi, as a tar archive."""
    target = io.BytesIO(busybox())
    with tarfile.open(fileobj=target, mode="a") as archive:
        tool = tarfile.TarInfo("bin/nvidia-smi")
        tool.size, tool.mode = len(TOOL), 0o755
        archive.addfile(tool, io.BytesIO(TOOL))
    return target.getvalue()


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
