"""Requests from the command line, matched by the keeper of `gpu-market up`."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter

from anchor_client.resources.job import Job
from anchor_client.rules.catalog import REGIONS
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE
from tests.sweeps import sampled

pytestmark = pytest.mark.xdist_group("up")
GPU = "nvidia-a100-pcie-40gb"
ASKED = ("request", "open", "--gpu", GPU, "--duration", "3h", "--max-price", "0.70")
PROMISED_SECONDS = 60
TOKENS = ["GPUM", *(pytest.param(token, marks=pytest.mark.exhaustive) for token in ("USDC", "SOL"))]


@pytest.mark.parametrize("token", TOKENS)
def test_request_open__watched__payment_to_credentials_takes_less_than_a_minute(up: UpProcess, token: str) -> None:
    began = time.monotonic()
    opened, matched, *states, reached = up.console.lines(*ASKED, "--near", "eu-west", "--pay", token, "--watch")
    took = time.monotonic() - began
    assert took < PROMISED_SECONDS
    print(f"payment to credentials in {token}: {took:.1f} s")
    assert (opened["status"], matched["status"], matched["id"]) == ("open", "matched", opened["id"])
    assert [state["status"] for state in states] == ["queued", "provisioning", "running"]
    assert reached["connection"]["password"] and reached["job"] == matched["job"]
    job = up.console.json("job", matched["job"])
    assert (job["gpu"], job["status"], job["rate_usd"]) == (GPU, "running", 620_000)
    assert int(matched["refunded"]) == int(opened["deposit"]) - int(job["deposit"]) > 0
    ended = TypeAdapter(Job).validate_python(up.console.json("stop", matched["job"]))
    assert ended.cost + ended.refunded == ended.deposit


@pytest.mark.exhaustive
def test_request__pinned_region__is_where_the_machine_is(up: UpProcess) -> None:
    for region in ("us-east", "us-west"):
        _, matched, *_ = up.console.lines(*ASKED, "--region", region, "--watch")
        assert up.console.json("job", matched["job"])["region"] == region
        up.console.json("stop", matched["job"])


def test_request__too_cheap_to_be_matched__waits_until_it_is_cancelled(up: UpProcess) -> None:
    cheap = ("request", "open", "--gpu", GPU, "--duration", "10h", "--max-price", "0.10")
    opened = up.console.json(*cheap, "--min-score", "97.5", "--count", "2", "--deposit", "40")
    assert (opened["deposit"], opened["min_score_bps"], opened["gpu_count"]) == ("40000000", 9_750, 2)
    assert [each["id"] for each in up.console.json("request", "list")] == [opened["id"]]
    assert "anywhere" in up.console.run("request", "show", opened["id"]).stdout
    cancelled = up.console.json("request", "cancel", opened["id"])
    assert (cancelled["status"], cancelled["refunded"]) == ("cancelled", opened["deposit"])
    assert up.console.json("request", "list") == []
    assert "No open requests" in up.console.run("request", "list").stdout
    assert up.console.json("request", "show", opened["id"])["status"] == "cancelled"


@pytest.mark.parametrize(
    ("arguments", "word"),
    sampled(
        [
            (("--kind", "spot"), "SpotRequest"),
            (("--region", "eu-wets"), "UnknownRegion"),
            (("--near", "moon"), "UnknownRegion"),
            (("--min-score", "101"), "BadOption"),
            (("--deposit", "0.000001"), "DepositTooSmall"),
            (("--valid-for", "31d"), "InvalidRequest"),
            (("--pay", "DOGE"), "UnknownPaymentToken"),
        ],
        every=4,
    ),
)
def test_request_open__wrong_input__is_one_line_with_a_remedy(
    up: UpProcess, arguments: tuple[str, ...], word: str
) -> None:
    refused = up.console.json(*ASKED, *arguments, code=2)
    assert refused["error"] == word and refused["remedy"]


def used_in(quota: dict[str, Any]) -> dict[str, int]:
    return {each["region"]: each["used"] for each in quota["regions"]}


def test_wallet_quota__rental_begins_and_ends__is_counted(up: UpProcess) -> None:
    before = up.console.json("wallet", "quota")
    assert before["limit"] >= 1 and set(used_in(before)) == {region.slug for region in REGIONS}
    rented = up.console.json("rent", "--gpu", GPU, "--duration", "3h")
    during = up.console.json("wallet", "quota")
    assert during["used"] == before["used"] + 1
    assert used_in(during)[rented["region"]] == used_in(before)[rented["region"]] + 1
    up.console.json("stop", rented["id"])
    assert up.console.json("wallet", "quota")["used"] == before["used"]
    assert "limit" in up.console.run("wallet", "quota").stdout


@pytest.mark.exhaustive
def test_api__requests_and_quota__say_what_the_command_line_says(up: UpProcess) -> None:
    opened = up.console.json(*ASKED[:-1], "0.50")
    with httpx.Client(base_url=up.ready["api_url"], timeout=PATIENCE) as api:
        quota = api.get(f"/api/quota/{opened['renter']}").json()
        told = up.console.json("wallet", "quota")
        assert quota == told
        up.console.json("request", "cancel", opened["id"])
        listed = api.get("/api/requests", params={"renter": opened["renter"]}).json()["requests"]
    assert all(request["renter"] == opened["renter"] for request in listed)


@pytest.mark.exhaustive
def test_demo__request__credentials_within_a_minute(up: UpProcess) -> None:
    told = up.console.json("demo", "--here", "--scenario", "request")
    assert told["agree"] is True
    assert told["seconds_to_match"] < told["seconds_to_credentials"] < PROMISED_SECONDS
    assert told["refunded_at_match"] > 0


def test_demo__unknown_scenario__is_refused_with_those_known(up: UpProcess) -> None:
    done = up.console.run("demo", "--scenario", "moon", code=2)
    assert "rental" in done.stderr and "request" in done.stderr
