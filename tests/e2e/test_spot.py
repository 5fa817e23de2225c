"""Spot from the command line: the book, a bid, the warning with its checkpoint, and the refund."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.console import RUN_SECONDS, SCRIPT
from tests.e2e.seeded import UpProcess
from tests.sweeps import sampled

pytestmark = pytest.mark.xdist_group("up")
GPU = "nvidia-a100-pcie-40gb"
LONG = ("--duration", "10h")


@pytest.fixture
def rival(up: UpProcess, tmp_path: Path) -> tuple[str, str]:
    """Options of a second wallet with money."""
    key = tmp_path / "rival.json"
    up.console.run("wallet", "new", str(key))
    mine = ("--keypair", str(key))
    up.console.run("wallet", "airdrop", "1", *mine)
    up.console.run("wallet", "airdrop", "200", "--token", "GPUM", *mine)
    return mine


def test_bid__held_machine__warns_its_holder_and_runs_his_checkpoint(
    up: UpProcess, rival: tuple[str, str], tmp_path: Path
) -> None:
    held = up.console.lines("rent", "--gpu", GPU, "--kind", "spot", *LONG, "--wait")[0]
    assert held["kind"] == "spot"
    saved = tmp_path / "saved"
    watching = subprocess.Popen(
        [
            *(str(SCRIPT), "job", held["id"], "--watch", "--json"),
            *("--on-preempt", f'echo "$GPU_MARKET_JOB $GPU_MARKET_PREEMPT_AT" > {saved}'),
        ],
        env=up.console.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    book = up.console.json("spot", held["listing"])
    assert (book["holder"]["job"], book["challenger"], book["preempt_at"]) == (held["id"], None, None)
    least = book["minimum_bid_usd"]
    assert least == held["rate_usd"] + -(-held["rate_usd"] * 5 // 100)

    order = ("--checkpoint", "sync", "--env", "RUN=second", "--name", "better")
    waiting = up.console.json("bid", held["listing"], f"{least / 10**6:.6f}", *LONG, *order, *rival)
    assert (waiting["rate_usd"], waiting["status"]) == (least, "queued")
    book = up.console.json("spot", held["listing"])
    assert book["challenger"]["job"] == waiting["id"]
    assert "Handed over at" in up.console.run("spot", held["listing"]).stdout
    assert up.console.json("job", held["id"])["preempt_at"] == book["preempt_at"]
    assert up.console.json("extend", held["id"], "1h")["duration"] == held["duration"] + 3_600
    up.warp(1)
    withdrawn = up.console.json("bid", "--withdraw", "better", *rival)
    assert withdrawn["id"] == waiting["id"]
    assert (withdrawn["status"], withdrawn["refunded"]) == ("cancelled", withdrawn["deposit"])

    up.console.run("stop", held["id"])
    output, _ = watching.communicate(timeout=RUN_SECONDS)
    *states, ended = [json.loads(line) for line in output.splitlines()]
    assert [each["preempt_at"] for each in states if each["preempt_at"]] == [book["preempt_at"]]
    assert ended["close_reason"] == "stopped"
    assert saved.read_text().split() == [held["id"], str(book["preempt_at"])]


@pytest.mark.parametrize(
    ("arguments", "says"),
    sampled(
        [
            (("rent", "--gpu", GPU, *LONG, "--bid", "1"), "--kind spot"),
            (("rent", "--gpu", GPU, *LONG, "--kind", "spot", "--bid", "0.01"), "0.01"),
            (("job", "11111111111111111111111111111111", "--on-preempt", "true"), "--watch"),
            (("bid", "11111111111111111111111111111111"), "--duration"),
            (("spot", "11111111111111111111111111111111"), "listing"),
        ],
        every=3,
    ),
)
def test_spot__wrong_input__is_refused_with_a_remedy(up: UpProcess, arguments: tuple[str, ...], says: str) -> None:
    assert says in up.console.run(*arguments, code=2).stderr
