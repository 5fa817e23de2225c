"""The command line says of a thing what the API says of it, key by key."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.e2e.seeded import UpProcess

pytestmark = pytest.mark.xdist_group("up")
GPU = "nvidia-a100-pcie-40gb"
SECONDS = 60
ONLY_ONE_KNOWS = {"token", "issues_reported", "score_inputs", "staked_at", "claimed"}
"""Symbols are configured where the command line runs, and the index counts what no account keeps."""


def known_to_both(value: Any) -> Any:
    if isinstance(value, list):
        return [known_to_both(one) for one in value]
    if isinstance(value, dict):
        return {name: known_to_both(one) for name, one in value.items() if name not in ONLY_ONE_KNOWS}
    return value


def agree(ask: Callable[[], Any], answer: Callable[[httpx.Client], Any], up: UpProcess) -> dict[str, Any]:
    """What both say as soon as they say the same, which is when the index has seen what is final."""
    with httpx.Client(base_url=up.ready["api_url"]) as api:
        deadline = time.monotonic() + SECONDS
        while True:
            told, answered = ask(), answer(api)
            if known_to_both(told) == known_to_both(answered) or time.monotonic() > deadline:
                assert known_to_both(told) == known_to_both(answered)
                assert told.keys() == answered.keys()
                return dict(told)
            time.sleep(0.5)


def test_job__running_and_stopped__reads_the_same(up: UpProcess) -> None:
    job = up.console.lines("rent", "--gpu", GPU, "--duration", "3h", "--wait")[0]["id"]
    running = agree(lambda: up.console.json("job", job), lambda api: api.get(f"/api/jobs/{job}").json(), up)
    assert running["status"] == "running" and running["connection"]
    up.console.run("stop", job)
    stopped = agree(lambda: up.console.json("job", job), lambda api: api.get(f"/api/jobs/{job}").json(), up)
    assert stopped["status"] == "completed" and stopped["payments"]


def test_listing_and_its_host__as_they_stand__read_the_same(up: UpProcess) -> None:
    def first(api: httpx.Client) -> Any:
        listings = api.get("/api/marketplace/listings", params={"gpu": GPU}).json()["listings"]
        return next(one for one in listings if one["id"] == listing)

    listing = up.console.json("listings", "--gpu", GPU)[0]["id"]
    found = agree(
        lambda: next(one for one in up.console.json("listings", "--gpu", GPU) if one["id"] == listing), first, up
    )
    host = found["host_authority"]
    agree(lambda: up.console.json("host", "show", host), lambda api: api.get(f"/api/hosts/{host}").json(), up)


def test_request__cancelled__reads_the_same(up: UpProcess) -> None:
    asked = (
        "request",
        "open",
        "--gpu",
        GPU,
        "--duration",
        "10h",
        "--max-price",
        "0.10",
        "--count",
        "2",
        "--deposit",
        "40",
    )
    request = up.console.json(*asked)["id"]
    up.console.run("request", "cancel", request)
    ended = agree(
        lambda: up.console.json("request", "show", request),
        lambda api: api.get(f"/api/requests/{request}").json(),
        up,
    )
    assert ended["status"] == "cancelled" and ended["close_tx"]


def test_stake__warming_up__reads_the_same(up: UpProcess) -> None:
    owner = up.console.json("staking", "add", "5")["owner"]
    stake = agree(
        lambda: up.console.json("staking", "show"),
        lambda api: next(iter(api.get("/api/rewards/stakes", params={"owner": owner}).json()["stakes"]), {}),
        up,
    )
    assert int(stake["active"]) + int(stake["warming"]) >= 5_000_000
