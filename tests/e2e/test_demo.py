"""The demo, through the console script."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.console import Console
from tests.e2e.seeded import UpProcess

REQUIRED = ("job", "cost", "burned", "burn_tx", "refunded", "host_paid", "fees", "finalized_by")


@pytest.mark.exhaustive
@pytest.mark.xdist_group("up")
def test_demo__running_market__one_is_stopped_and_one_ended_by_the_keeper(up: UpProcess) -> None:
    result = up.console.json("demo", "--here")
    assert result["agree"] is True
    assert result["differences"] == []
    stopped, expired = result["jobs"]
    for job in (stopped, expired):
        assert all(job[name] is not None for name in REQUIRED)
        out = job["host_paid"] + job["fees"] + job["burned"] + job["refunded"] + job["subsidy_returned"]
        assert job["deposit"] + job["subsidy"] == out
        assert job["cost"] == job["deposit"] - job["refunded"]
    assert 0 < stopped["cost"] < stopped["deposit"]
    assert stopped["refunded"] > 0
    assert expired["refunded"] == 0
    assert expired["cost"] == 13_800_000
    assert expired["burned"] == expired["cost"] * 2_000 // 10_000
    assert expired["finalized_by"] != stopped["finalized_by"]
    told = up.console.json("job", expired["job"])
    assert (told["close_reason"], told["status"]) == ("expired", "completed")
    assert [status["status"] for status in told["history"]] == ["queued", "provisioning", "running", "completed"]
    assert told["finalized_by"] == expired["finalized_by"] != told["renter"]


@pytest.mark.exhaustive
def test_demo__no_market_runs__starts_one_and_leaves_nothing(tmp_path: Path) -> None:
    console = Console(tmp_path)
    assert console.json("demo")["agree"] is True
    assert console.json("config", "show")["api_url"] is None


@pytest.mark.exhaustive
def test_demo__another_cluster__is_refused(tmp_path: Path) -> None:
    done = Console(tmp_path).run("demo", "--cluster", "devnet", code=2)
    assert "local market" in done.stderr


@pytest.mark.exhaustive
@pytest.mark.xdist_group("up")
def test_demo__spot__everyone_displaced_pays_by_the_second(up: UpProcess) -> None:
    result = up.console.json("demo", "--here", "--scenario", "spot")
    assert (result["agree"], result["differences"]) == (True, [])
    outbid, displaced, stopped = result["jobs"]
    told = [up.console.json("job", job["job"]) for job in (outbid, displaced, stopped)]
    assert [job["close_reason"] for job in told] == ["preempted", "preempted", "stopped"]
    assert [job["status"] for job in told] == ["preempted", "preempted", "completed"]
    assert [job["kind"] for job in told] == ["spot", "spot", "on-demand"]
    assert told[0]["rate_usd"] * 105 == told[1]["rate_usd"] * 100 < told[2]["rate_usd"] * 100
    assert 20 * 60 + 90 <= told[0]["used"] < 25 * 60 and 15 * 60 + 90 <= told[1]["used"] < 20 * 60
    warnings = [[each["preempt_at"] - each["ts"] for each in job["history"] if each["preempt_at"]] for job in told]
    assert warnings == [[90], [90], []]
    for job in result["jobs"]:
        assert 0 < job["cost"] == job["deposit"] + job["compensation"] - job["refunded"]
    assert [job["compensation"] > 0 for job in result["jobs"]] == [False, True, True]


@pytest.mark.exhaustive
@pytest.mark.xdist_group("up")
def test_demo__charges__only_what_was_agreed_to_is_paid(up: UpProcess) -> None:
    result = up.console.json("demo", "--here", "--scenario", "charges")
    assert (result["agree"], result["differences"]) == (True, [])
    [job] = result["jobs"]
    assert up.console.json("charges", "show", job["job"], code=2)["error"] == "UnknownMeter"


@pytest.mark.exhaustive
@pytest.mark.xdist_group("up")
def test_demo__offline__silence_is_not_paid_and_nothing_else_is_touched(up: UpProcess) -> None:
    rented = up.console.lines("rent", "--gpu", "nvidia-a100-pcie-40gb", "--duration", "3h", "--wait")[0]
    result = up.console.json("demo", "--scenario", "offline")
    assert (result["agree"], result["differences"]) == (True, [])
    [job] = result["jobs"]
    assert 0 < job["cost"] < job["deposit"] * 25 // 60 and job["finalized_by"]
    told = up.console.json("job", rented["id"])
    assert told["status"] == "running" and told["progress"]["left"] > 2 * 3_600
    up.console.run("stop", rented["id"])


@pytest.mark.parametrize("scenario", ["offline", "governance"])
def test_demo__what_would_harm_others__is_not_played_here(up: UpProcess, scenario: str) -> None:
    assert "separate market" in up.console.run("demo", "--here", "--scenario", scenario, code=2).stderr


def test_demo__unknown_scenario__is_refused(tmp_path: Path) -> None:
    done = Console(tmp_path).run("demo", "--scenario", "opera", code=2)
    assert "spot" in done.stderr


@pytest.mark.exhaustive
@pytest.mark.xdist_group("up")
def test_demo__staking__halves_the_fee_and_pays_what_was_foreseen(up: UpProcess) -> None:
    result = up.console.json("demo", "--here", "--scenario", "staking")
    assert (result["agree"], result["differences"]) == (True, [])
    staked, full = result["jobs"]
    assert staked["deposit"] < full["deposit"] and 0 < staked["fees"] < full["fees"]
