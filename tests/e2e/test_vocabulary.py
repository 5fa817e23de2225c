"""The command line says of a thing what the API says of it, key by key."""

from __future__ import annotations

import time
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.xdist_group("up")
GPU = "nvidia-a100-pcie-40gb"
SECONDS = 60
ONLY_ONE_KNOWS = {"token", "issues_reported", "score_inputs", "staked_at", "claimed", "verified", "measured"} | {
    "start_seconds",
    "credit_seconds",
}
"""Symbols are configured where the command line runs, and the index counts what no account keeps."""
TRANSACTIONS = {"open_tx", "close_tx", "tx"}
"""Those of a proposal are in the index alone."""


def known_to_both(value: Any, but: Set[str]) -> Any:
    if isinstance(value, list):
        return [known_to_both(one, but) for one in value]
    if isinstance(value, dict):
        return {name: known_to_both(one, but) for name, one in value.items() if name not in ONLY_ONE_KNOWS | but}
    return value


def agree(
    ask: Callable[[], Any], answer: Callable[[httpx.Client], Any], up: UpProcess, *, but: Set[str] = frozenset()
) -> dict[str, Any]:
    """Returns the answer of both as soon as they agree, which is when the index has seen what is final."""
    with httpx.Client(base_url=up.ready["api_url"], timeout=PATIENCE) as api:
        deadline = time.monotonic() + SECONDS
        while True:
            told, answered = ask(), answer(api)
            if known_to_both(told, but) == known_to_both(answered, but) or time.monotonic() > deadline:
                assert known_to_both(told, but) == known_to_both(answered, but)
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


@pytest.mark.exhaustive
def test_listing_and_its_host__as_they_stand__read_the_same(up: UpProcess) -> None:
    listing = up.console.json("listings", "--gpu", GPU)[0]["id"]
    found = agree(
        lambda: up.console.json("listing", listing),
        lambda api: api.get(f"/api/marketplace/listings/{listing}").json(),
        up,
    )
    host = found["host_authority"]

    def shown() -> Any:
        """All but what only chain and machine say: what waits, the score after it, and maintenance planned here."""
        told = up.console.json("host", "show", host)
        return {name: value for name, value in told.items() if name not in ("waiting", "counted_after", "maintenance")}

    agree(shown, lambda api: api.get(f"/api/hosts/{host}").json(), up)


@pytest.mark.exhaustive
def test_tokens__as_they_stand__read_the_same(up: UpProcess) -> None:
    told = agree(lambda: {"tokens": up.console.json("tokens")}, lambda api: api.get("/api/tokens").json(), up)
    assert {token["token"] for token in told["tokens"]} == {"GPUM", "USDC", "SOL"}
    served = httpx.get(f"{up.ready['api_url']}/api/tokens", timeout=PATIENCE).json()["tokens"]
    assert {token["token"]: token["mint"] for token in served} == up.ready["tokens"]
    assert "GPUM" in up.console.run("tokens").stdout


@pytest.mark.exhaustive
def test_gpus__as_they_stand__read_the_same(up: UpProcess) -> None:
    gpus = agree(lambda: {"gpus": up.console.json("gpus")}, lambda api: api.get("/api/gpus").json(), up)["gpus"]
    assert any(gpu["available"] and gpu["rates"] for gpu in gpus)


@pytest.mark.exhaustive
def test_spot_book__held_machine__reads_the_same(up: UpProcess) -> None:
    def book(api: httpx.Client) -> Any:
        told = api.get(f"/api/marketplace/listings/{held['listing']}/spot").json()
        return {name: value for name, value in told.items() if name != "history"}

    held = up.console.json("rent", "--gpu", GPU, "--kind", "spot", "--duration", "10h")
    agreed = agree(lambda: up.console.json("spot", held["listing"]), book, up)
    assert agreed["holder"]["job"] == held["id"]
    up.console.run("stop", held["id"])


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
def test_stake__warming_up__reads_the_same(up: UpProcess) -> None:
    owner = up.console.json("staking", "stake", "5")["owner"]
    stake = agree(
        lambda: up.console.json("staking", "show"),
        lambda api: next(iter(api.get("/api/rewards/stakes", params={"owner": owner}).json()["stakes"]), {}),
        up,
    )
    assert int(stake["active"]) + int(stake["warming"]) >= 5_000_000


@pytest.mark.exhaustive
def test_proposal__voted_on__reads_the_same(up: UpProcess, tmp_path: Path) -> None:
    mine = ("--keypair", str(tmp_path / "proposer.json"))
    up.console.run("wallet", "new", mine[1])
    up.console.run("wallet", "airdrop", "5", *mine)
    up.console.run("wallet", "airdrop", "200000", "--token", "GPUM", *mine)
    up.console.json("staking", "stake", "200000", *mine)
    up.warp(61)
    words = ("parameter", "tip_lamports", "7", "--title", "Cheaper cranks")
    id = str(up.console.json("governance", "propose", *words, *mine)["id"])
    up.console.run("governance", "vote", id, "for", *mine)
    shown = agree(
        lambda: up.console.json("governance", "show", id),
        lambda api: api.get(f"/api/governance/proposals/{id}").json(),
        up,
        but=TRANSACTIONS,
    )
    assert shown["stage"] == "voting" and len(shown["votes"]) == 1
    agree(
        lambda: up.console.json("governance", "list")[0],
        lambda api: api.get("/api/governance/proposals").json()["proposals"][0],
        up,
        but=TRANSACTIONS | {"title"},
    )
