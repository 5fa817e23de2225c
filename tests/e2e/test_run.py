"""Renting by a job file, and what renters are told at once."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.console import SCRIPT
from tests.e2e.seeded import UpProcess

pytestmark = pytest.mark.xdist_group("up")
GPU = "nvidia-a100-pcie-40gb"
H100 = "nvidia-h100-pcie-80gb"


def test_run__job_file__is_rented_and_called_by_its_name(up: UpProcess, tmp_path: Path) -> None:
    (tmp_path / "my.env").write_text("SEED=7\n")
    file = tmp_path / "job.yaml"
    file.write_text(
        f"gpu: {GPU}\nduration: 3h\nmax_price: 0.90\nimage: pytorch/pytorch:2.8.0\ncommand: python train.py\n"
        "ports: [22/tcp]\nenv_file: my.env\nname: from-a-file\nwait: true\n"
    )
    rented, *_, reached = up.console.lines("run", str(file))
    assert rented["gpu"] == GPU and reached["connection"]["password"]
    assert up.console.json("stop", "from-a-file")["id"] == rented["id"]


def test_rent__listing_of_another_model__is_refused(up: UpProcess) -> None:
    listing = up.console.json("listings", "--gpu", GPU, "--available")[0]["id"]
    told = up.console.run("rent", "--gpu", H100, "--listing", listing, "--duration", "3h", code=2).stderr
    assert f"is a {GPU}, not a {H100}" in told


@pytest.mark.exhaustive
def test_rent__charges_capped_where_there_are_none__says_so(up: UpProcess) -> None:
    done = up.console.run("rent", "--gpu", GPU, "--duration", "3h", "--max-charges", "5")
    assert "has no charges" in done.stderr
    up.console.run("stop", "@last")


@pytest.mark.exhaustive
def test_request__below_every_price__names_the_nearest(up: UpProcess) -> None:
    machine = ("--gpu", GPU, "--duration", "9h", "--max-price", "0.30")
    request = up.console.run("request", "open", *machine, "--json")
    assert "costs $0.30 an hour or less" in request.stderr and "$0.62/h" in request.stderr
    assert "warning" not in up.console.run("request", "open", *machine[:-1], "0.80").stderr


@pytest.mark.exhaustive
def test_completion__listings_and_jobs__are_asked_of_the_market(up: UpProcess) -> None:
    listed = [one["id"] for one in up.console.json("listings", "--available")]
    job = up.console.json("rent", "--gpu", GPU, "--duration", "9h")["id"]

    def offered(line: str) -> list[str]:
        asked = {"_GPU_MARKET_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        done = subprocess.run(
            [SCRIPT],
            env={**up.console.environment, **asked, "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.split()

    assert listed[0] in offered(f"gpu-market listing {listed[0][:5]}")
    assert listed[0] in offered(f"gpu-market bid {listed[0][:5]}")
    assert job in offered(f"gpu-market stop {job[:5]}")
    assert GPU in offered(f"gpu-market listings --gpu {GPU[:9]}")
    free = {one["gpu"] for one in up.console.json("listings", "--available")}
    assert {*offered("gpu-market rent --gpu nvidia")} == free
    up.console.run("stop", job)
