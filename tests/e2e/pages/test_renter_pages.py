"""Commands for a newcomer: the README's first rental, and docs/rent.md from a command line and from Python.

What they do on the machine, `tests/e2e/test_first_hour.py` types.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT, blocks, section
from tests.e2e.pages.walk import walking
from tests.e2e.seeded import UpProcess

pytestmark = pytest.mark.xdist_group("up")
GPU = "nvidia-h100-pcie-80gb"
SCRIPT_SECONDS = 120


def balanced(job: dict[str, Any]) -> bool:
    """True where the renter paid something, and that and the refund add up to the deposit, to the base unit."""
    return int(job["cost"]) + int(job["refunded"]) == int(job["deposit"]) and int(job["cost"]) > 0


@pytest.mark.exhaustive
async def test_readme__first_rental__runs_and_is_stopped(up: UpProcess, tmp_path: Path) -> None:
    async with walking("README.md", "Rent your first GPU", up, tmp_path) as newcomer:
        assert GPU in await newcomer.types("gpus")
        rented = await newcomer.types("rent --gpu")
        assert "The machine is running" in rented and "ssh -p" in rented and "password" in rented
        job = up.console.json("job", "@last")
        assert job["status"] == "running" and job["id"] in rented
        for on_the_machine in ("cp docs/examples/first.sh", "ssh @last", "cp @last:result.txt"):
            newcomer.skips(on_the_machine)
        told = await newcomer.types("stop")
        ended = up.console.json("job", job["id"])
        assert ended["status"] == "completed" and ended["burn_tx"] in told and balanced(ended)


async def test_rent_page__walkthrough__rents_extends_rates_and_stops(up: UpProcess, tmp_path: Path) -> None:
    async with walking("docs/rent.md", "Try it", up, tmp_path) as renter:
        assert GPU in await renter.types("gpus")
        assert "The machine is running" in await renter.types("rent --gpu")
        job = up.console.json("job", "first")
        assert (job["gpu"], job["status"], job["duration"]) == (GPU, "running", 3_600)
        for on_the_machine in ("cp docs/examples/first.sh", "ssh first", "cp first:result.txt", "job verify first"):
            renter.skips(on_the_machine)
        assert "cost so far" in await renter.types("job @last")
        await renter.types("extend first")
        assert up.console.json("job", "first")["duration"] == 3_600 + 1_800
        up.warp(2)
        assert "5" in await renter.types("rate first")
        assert "refunded" in await renter.types("stop first")
        ended = up.console.json("job", "first")
        assert (ended["status"], ended["rating"]) == ("completed", 5) and balanced(ended)
        assert "A machine was found" in await renter.types("request open")
        found = up.console.json("job", "@last")
        assert (found["gpu"], found["status"]) == (GPU, "running") and found["id"] != job["id"]
        assert "completed" in await renter.types("stop @last")
        shown = await renter.types("jobs --all")
        assert job["id"] in shown and found["id"] in shown


@pytest.mark.exhaustive
async def test_rent_page__python__rents_and_prints_how_to_get_in(up: UpProcess, tmp_path: Path) -> None:
    [code] = blocks(section((ROOT / "docs/rent.md").read_text(), "From Python"), "python")
    for there, here in (("http://127.0.0.1:8000", "api_url"), ("http://127.0.0.1:8899", "rpc_url")):
        assert there in code
        code = code.replace(there, up.ready[here])
    (tmp_path / "example.py").write_text(code)
    shutil.copy(up.ready["wallet"], tmp_path / "id.json")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "example.py"),
        cwd=tmp_path,
        env=up.console.environment | {"PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(SCRIPT_SECONDS):
        out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    *told, amounts = out.decode().splitlines()
    job = up.console.json("job", "@last")
    assert amounts == " ".join(str(job[name]) for name in ("cost", "refunded", "burned", "burn_tx"))
    assert "password" in "".join(told) and (job["gpu"], job["status"]) == (GPU, "completed") and balanced(job)
