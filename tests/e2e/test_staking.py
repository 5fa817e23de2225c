"""Staking and the MFP lock from the command line, in a market whose epochs last a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from anchor_client.resources.stake import Stake
from tests.e2e.seeded import UpProcess

pytestmark = pytest.mark.xdist_group("up")
TOKEN = 10**6


def next_epoch(up: UpProcess, mine: tuple[str, ...]) -> dict[str, Any]:
    """The clock moves past the end of the epoch; gives the wallet's stake then."""
    before: dict[str, Any] = up.console.json("staking", "show", *mine)
    up.warp(61)
    after: dict[str, Any] = up.console.json("staking", "show", *mine)
    assert after["epoch"] > before["epoch"]
    return after


def test_stake__from_first_to_last__every_command_agrees(up: UpProcess, tmp_path: Path) -> None:
    key = tmp_path / "staker.json"
    up.console.run("wallet", "new", str(key))
    mine = ("--keypair", str(key))
    up.console.run("wallet", "airdrop", "5", *mine)
    up.console.run("wallet", "airdrop", "1000", "--token", "GPUM", *mine)
    added = up.console.json("staking", "stake", "600.5", *mine)
    assert (added["active"], added["warming"]) == ("0", "600500000")
    up.console.json("staking", "fund", "90", *mine)
    assert next_epoch(up, mine)["active"] == "600500000"
    assert TypeAdapter(Stake).validate_python(next_epoch(up, mine)).pending["GPUM"] > 0
    compounded = TypeAdapter(Stake).validate_python(up.console.json("staking", "compound", *mine))
    assert compounded.warming > 0 and "GPUM" not in compounded.pending
    removed = up.console.json("staking", "unstake", "100", *mine)
    assert removed["cooling"] == str(100 * TOKEN) and removed["withdrawable"] == "0"
    refused = up.console.run("staking", "withdraw", *mine, code=2).stderr.splitlines()
    assert len(refused) == 2 and "cool" in refused[0]
    next_epoch(up, mine)
    assert up.console.json("staking", "withdraw", *mine)["cooling"] == "0"
    assert "active" in up.console.run("staking", "show", *mine).stdout


@pytest.mark.exhaustive
def test_stake_close__all_taken_back__leaves_no_account(up: UpProcess, tmp_path: Path) -> None:
    key = tmp_path / "leaver.json"
    up.console.run("wallet", "new", str(key))
    mine = ("--keypair", str(key))
    up.console.run("wallet", "airdrop", "5", *mine)
    up.console.run("wallet", "airdrop", "10", "--token", "GPUM", *mine)
    up.console.json("staking", "stake", "10", *mine)
    refused = up.console.run("staking", "close", *mine, code=2).stderr.splitlines()
    assert len(refused) == 2 and "still holds" in refused[0]
    up.console.json("staking", "unstake", "10", *mine)
    next_epoch(up, mine)
    up.console.json("staking", "withdraw", *mine)
    closed = up.console.json("staking", "close", *mine)
    assert set(closed) == {"owner", "tx"}
    assert up.console.run("staking", "withdraw", *mine, code=2).stderr.startswith("error: ")


@pytest.mark.exhaustive
def test_stake__impossible__is_refused_in_one_line(up: UpProcess, tmp_path: Path) -> None:
    key = tmp_path / "poor.json"
    up.console.run("wallet", "new", str(key))
    mine = ("--keypair", str(key))
    for arguments in (
        ("add", "1"),
        ("remove", "1"),
        ("withdraw",),
        ("close",),
        ("claim",),
        ("compound",),
        ("add", "lots"),
    ):
        message, remedy = up.console.run("staking", *arguments, *mine, code=2).stderr.splitlines()
        assert message.startswith("error: ") and remedy


def test_host_mfp__lock_and_unlock__change_the_extra_fee(up: UpProcess) -> None:
    host = ("--keypair", str(Path(up.ready["data"]) / "keys" / "host-us-east.json"))
    shown = up.console.json("mfp", "show", *host)
    required = int(shown["required"])
    assert shown["points"] > 0 and required == shown["points"] * 1_000 * TOKEN
    up.console.run("wallet", "airdrop", str(required // TOKEN), "--token", "GPUM", *host)
    half = required // TOKEN // 2
    locked = up.console.json("mfp", "lock", str(half), *host)
    assert locked["extra_fee_bps"]["USDC"] == -(-shown["extra_fee_bps"]["USDC"] // 2)
    unlocked = up.console.json("mfp", "unlock", str(half), *host)
    assert unlocked["extra_fee_bps"] == shown["extra_fee_bps"] and unlocked["unlocking"] == str(half * TOKEN)
    message, remedy = up.console.run("mfp", "withdraw", *host, code=2).stderr.splitlines()
    assert "yet" in message and remedy
