"""Renting from the command line."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter

from anchor_client.resources.job import Job
from anchor_client.rules.catalog import GPU_MODELS
from local_market.machines import OFFERS
from tests.e2e.console import RUN_SECONDS, SCRIPT, Console
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports
from tests.sweeps import sampled

pytestmark = pytest.mark.xdist_group("up")
GPU = "nvidia-a100-pcie-40gb"


def test_gpus__seeded_market__whole_catalog(up: UpProcess) -> None:
    gpus = {gpu["id"]: gpu for gpu in up.console.json("gpus")}
    assert list(gpus) == [model.slug for model in GPU_MODELS]
    assert all(gpus[slug]["listed"] >= len(offer.gpu_counts) for slug, offer in OFFERS.items())
    assert gpus["nvidia-h100-pcie-80gb"]["market_rate"]["micro_usd_per_hour"] == 2_760_000
    assert gpus["nvidia-h100-pcie-80gb"]["rates"][0]["base_units_per_hour"] == "13800000"
    assert "H100 PCIe" in up.console.run("gpus").stdout


def test_listings__filters__only_what_fits(up: UpProcess) -> None:
    listings = up.console.json("listings", "--gpu", "nvidia-rtx-4090-24gb", "--region", "eu-west", "--available")
    assert listings
    assert {(one["gpu"], one["region"], one["available"]) for one in listings} == {
        ("nvidia-rtx-4090-24gb", "eu-west", True)
    }
    assert up.console.json("listings", "--max-price", "0.01") == []


@pytest.mark.parametrize(
    "token", ["GPUM", *(pytest.param(token, marks=pytest.mark.exhaustive) for token in ("USDC", "SOL"))]
)
def test_rent__every_token__stop_gives_the_rest_back(up: UpProcess, token: str) -> None:
    rented, *states, reached = up.console.lines("rent", "--gpu", GPU, "--duration", "3h", "--pay", token, "--wait")
    assert [state["status"] for state in states] == ["queued", "provisioning", "running"]
    assert reached["connection"]["password"]
    assert rented["token"] == token
    assert [job["id"] for job in up.console.json("jobs")] == [rented["id"]]
    ended = TypeAdapter(Job).validate_python(up.console.json("stop", rented["id"]))
    assert ended.cost + ended.refunded == ended.deposit == int(rented["deposit"])
    came, went = ended.deposit + ended.subsidy, ended.host_paid + ended.fees + ended.burned
    assert came == went + ended.refunded + ended.subsidy_returned
    assert (ended.burn_tx is not None) == (token == "GPUM" and ended.burned > 0)
    assert up.console.json("jobs") == []


def test_rent__quote__names_every_way_cheapest_first_and_orders_nothing(up: UpProcess) -> None:
    before = up.console.json("jobs", "--all")
    ways = up.console.json("rent", "--gpu", GPU, "--duration", "3h", "--quote")
    assert [way["micro_usd"] for way in ways] == sorted(way["micro_usd"] for way in ways)
    assert {way["kind"] for way in ways} == {"on-demand", "spot"}
    assert {way["token"] for way in ways} == {"GPUM", "USDC", "SOL"}
    said = up.console.run("rent", "--gpu", GPU, "--duration", "3h", "--quote").stdout
    assert re.search(r"^spot +GPUM +[\d.]+ GPUM +\$\d", said, re.MULTILINE)
    assert "reserved: for 7, 30 or 90 days\n" in said
    cheap = up.console.run("rent", "--gpu", "RTX 4090", "--duration", "3h", "--quote").stdout
    assert re.search(
        r"^spot: from \d+ h( \d+ min)?; a shorter order is below the market's minimum$", cheap, re.MULTILINE
    )
    assert up.console.json("jobs", "--all") == before


def test_rent__shorter_than_is_taken__least_is_named_and_taken(up: UpProcess) -> None:
    machine = ("--gpu", "nvidia-rtx-4090-24gb")
    said = up.console.run("gpus").stdout
    assert re.search(r"RTX 4090 .* from \d+ h", said)
    assert "--or-least" in up.console.run("rent", *machine, "--duration", "10m", code=2).stderr
    assert "--or-least" in up.console.run("rent", *machine, "--duration", "10m", "--quote", code=2).stderr
    rented = up.console.json("rent", *machine, "--duration", "10m", "--or-least")
    assert rented["duration"] > 3_600
    up.console.run("stop", rented["id"])


def test_jobs__dollars_dates_and_a_total(up: UpProcess) -> None:
    told = up.console.run("rent", "--gpu", GPU, "--duration", "3h", "--pay", "USDC")
    assert re.search(r"USDC \(\$\d+\.\d\d\) in escrow", told.stdout)
    assert "cheaper: 3 h cost $" in told.stderr and "--pay GPUM" in told.stderr
    job = told.stdout.split()[0]
    said = up.console.run("jobs").stdout
    assert re.search(rf"^{job} .* \d{{4}}-\d\d-\d\d \d\d:\d\d .* USDC \(\$[\d.]+\)", said, re.MULTILINE)
    assert re.search(r"^Cost so far: .*USDC.*, \$[\d.]+ at present prices$", said, re.MULTILINE)
    [served] = httpx.get(f"{up.ready['api_url']}/api/jobs?limit=1", timeout=PATIENCE).json()["jobs"]
    assert served["token"] in ("GPUM", "USDC", "SOL")
    stopped = up.console.run("stop", job).stdout
    assert re.search(r"^refunded +[\d.,]+ USDC \(\$", stopped, re.MULTILINE)
    assert re.search(r"^USDC +[\d.,]+ +\$[\d.,]+$", up.console.run("wallet", "show").stdout, re.MULTILINE)


def test_rent__all_order_parts_and_a_template__same_again(up: UpProcess, tmp_path: Path) -> None:
    key = tmp_path / "id.pub"
    key.write_text("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB me@laptop\n")
    order = ("--image", "pytorch/pytorch:2.8.0", "--command", "python train.py")
    ports = ("--port", "22/tcp", "--port", "8888/http")
    secrets = ("--env", "SEED=7", "--env", "NAME=a=b", "--ssh-key", str(key), "--jupyter-token", "open sesame")
    machine = ("--gpu", GPU, "--duration", "3h", "--region", "us-east")
    first = up.console.json("rent", *machine, *order, *ports, *secrets, "--save-template", "training")
    assert first["region"] == "us-east"
    again = up.console.lines("rent", "--gpu", GPU, "--duration", "3h", "--template", "training", "--wait")
    assert again[-1]["connection"]["user"] == "root"
    for job in (first["id"], again[0]["id"]):
        up.console.run("stop", job)


def test_extend_and_rate__running_job__both_show(up: UpProcess) -> None:
    rented = up.console.lines("rent", "--gpu", GPU, "--duration", "3h", "--wait")[0]
    extended = up.console.json("extend", rented["id"], "30m")
    assert extended["duration"] == 3 * 3600 + 1800
    assert int(extended["deposit"]) > int(rented["deposit"])
    up.warp(2)
    assert up.console.json("rate", rented["id"], "5")["rating"] == 5
    assert "rated" in up.console.run("rate", rented["id"], "4", code=2).stderr
    assert "unreachable" in up.console.run("stop", rented["id"], "--issue", "unreachabel", code=2).stderr
    assert up.console.json("stop", rented["id"], "--issue", "slow")["close_reason"] == "stopped"


def test_stop__not_as_listed__costs_no_minimum_once_something_was_paid_before(up: UpProcess) -> None:
    def report() -> tuple[dict[str, Any], str]:
        rented = up.console.lines("rent", "--gpu", GPU, "--duration", "3h", "--wait")[0]
        stopped = up.console.json("stop", rented["id"], "--issue", "not-as-listed")
        return stopped, up.console.run("job", rented["id"]).stdout

    earned = up.console.lines("rent", "--gpu", GPU, "--duration", "3h", "--wait")[0]
    up.warp(90)
    up.console.run("stop", earned["id"])
    first, said = report()
    assert first["not_as_listed"] and first["issues"][0]["weight_usd"] > 0
    assert first["charged"] == first["used"] < first["min_charge"]
    assert "the minimum charge is waived" in " ".join(said.split())
    again, said = report()
    assert not again["not_as_listed"] and again["issues"][0]["weight_usd"] == 0
    assert again["charged"] == again["min_charge"]
    assert "without weight" in " ".join(said.split())


@pytest.mark.exhaustive
def test_job__watched__tells_every_state_to_the_end(up: UpProcess) -> None:
    rented = up.console.lines("rent", "--gpu", GPU, "--duration", "3h", "--wait")[0]
    watching = subprocess.Popen(
        [str(SCRIPT), "job", rented["id"], "--watch", "--json"],
        env=up.console.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    up.console.run("stop", rented["id"])
    output, _ = watching.communicate(timeout=RUN_SECONDS)
    *states, ended = [json.loads(line) for line in output.splitlines()]
    assert watching.returncode == 0
    assert [state["status"] for state in states] == ["queued", "provisioning", "running", "completed"]
    assert ended["close_reason"] == "stopped"


@pytest.mark.exhaustive
def test_wallet__new_and_funded__rents_for_itself(up: UpProcess, tmp_path: Path) -> None:
    key = tmp_path / "mine.json"
    made = up.console.json("wallet", "new", str(key))
    mine = ("--keypair", str(key))
    up.console.run("wallet", "airdrop", "1", *mine)
    up.console.run("wallet", "airdrop", "20", "--token", "GPUM", *mine)
    balances = {one["symbol"]: one["base_units"] for one in up.console.json("wallet", "show", *mine)["balances"]}
    assert balances["GPUM"] == "20000000"
    for shown in ("show", "quota"):
        assert up.console.run("wallet", shown, *mine).stdout.startswith(f"{made['address']}\n")
    rented = up.console.json("rent", "--gpu", GPU, "--duration", "2h", *mine)
    assert rented["renter"] == made["address"]
    up.console.run("stop", rented["id"], *mine)


@pytest.mark.exhaustive
def test_rent__cluster_named_by_url__takes_the_order_to_the_api_that_is_set(up: UpProcess, tmp_path: Path) -> None:
    elsewhere, wallet = Console(tmp_path), str(tmp_path / "mine.json")
    up.console.run("wallet", "new", wallet)
    up.console.run("wallet", "airdrop", "1", "--keypair", wallet)
    up.console.run("wallet", "airdrop", "20", "--token", "GPUM", "--keypair", wallet)
    there = ("--rpc", up.ready["rpc_url"], "--keypair", wallet)
    command = ("rent", "--gpu", GPU, "--duration", "2h", *there)

    def jobs() -> list[object]:
        found: list[object] = elsewhere.json("jobs", "--all", *there)
        return found

    assert elsewhere.json(*command, code=2)["error"] == "NoApi"
    elsewhere.run("config", "set", "api_url", f"http://127.0.0.1:{free_ports()}")
    assert elsewhere.json(*command, code=1)["error"] == "UnreachableApi"
    assert jobs() == []
    elsewhere.run("config", "set", "api_url", up.ready["api_url"])
    rented, *_, reached = elsewhere.lines(*command, "--wait")
    assert reached["connection"]["password"]
    order = httpx.get(
        f"{up.ready['api_url']}/api/sealed-orders/{rented['renter']}/{rented['order_hash']}", timeout=PATIENCE
    )
    assert order.status_code == 200 and order.json()["sealed"]
    elsewhere.run("stop", rented["id"], *there)


@pytest.mark.parametrize(
    ("arguments", "says"),
    sampled(
        [
            (("--gpu", "nvidia-h100-pci-80gb", "--duration", "1h"), "nvidia-h100-pcie-80gb"),
            (("--gpu", GPU, "--duration", "30s"), "minimum"),
            (("--gpu", GPU, "--duration", "10m"), "minimum"),
            (("--gpu", GPU, "--duration", "5000h"), ""),
            (("--gpu", GPU, "--duration", "soon"), "90m"),
            (("--gpu", GPU, "--duration", "3h", "--region", "mars"), "region"),
            (("--gpu", GPU, "--duration", "3h", "--pay", "DOGE"), "DOGE"),
            (("--gpu", GPU, "--duration", "3h", "--kind", "reserved"), "7, 30 or 90 days"),
            (("--gpu", GPU, "--duration", "3h", "--max-cost", "0.000001"), ""),
            (("--gpu", GPU, "--duration", "3h", "--max-cost", "0.0000001"), "decimal places"),
            (("--gpu", GPU, "--duration", "3h", "--port", "ssh"), "22/tcp"),
            (("--gpu", GPU, "--duration", "3h", "--env", "NAME"), "NAME=VALUE"),
            (("--gpu", GPU, "--duration", "3h", "--template", "missing"), "missing"),
            (("--duration", "3h"), "--gpu"),
        ],
        every=5,
    ),
)
def test_rent__wrong_input__one_line_and_a_remedy(up: UpProcess, arguments: tuple[str, ...], says: str) -> None:
    done = up.console.run("rent", *arguments, code=2)
    message, remedy = done.stderr.splitlines()
    assert message.startswith("error: ")
    assert remedy
    assert says in done.stderr
    assert done.stdout == ""


def test_rent__too_little_balance__says_how_much_is_missing(up: UpProcess, tmp_path: Path) -> None:
    key = tmp_path / "poor.json"
    up.console.run("wallet", "new", str(key))
    up.console.run("wallet", "airdrop", "1", "--keypair", str(key))
    done = up.console.run("rent", "--gpu", GPU, "--duration", "3h", "--keypair", str(key), code=2)
    assert "GPUM" in done.stderr
    assert len(done.stderr.splitlines()) == 2
