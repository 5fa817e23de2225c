"""Offering a machine from the command line, until somebody rents it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.seeded import UpProcess

pytestmark = pytest.mark.xdist_group("up")
GPU = "nvidia-h200-sxm5-141gb"


def test_host__from_registration_to_a_changed_price__machine_can_be_rented(up: UpProcess, tmp_path: Path) -> None:
    key = tmp_path / "host.json"
    wallet = up.console.json("wallet", "new", str(key))["address"]
    mine = ("--keypair", str(key))
    machine = ("--gpu", GPU, "--region", "eu-west", "--price", "3.10")
    up.console.run("wallet", "airdrop", "5", *mine)
    registered = up.console.json("host", "register", "--seal-key", str(tmp_path / "seal.key"), *mine)
    assert registered["authority"] == wallet
    assert "approved" in up.console.run("host", "list", *machine, *mine, code=2).stderr
    authority = Path(up.ready["data"]) / "keys" / "authority.json"
    up.console.run("host", "approve", wallet, "--keypair", str(authority))
    listing = up.console.json("host", "list", *machine, *mine)["listing"]
    assert _state(up, listing) == "offline"
    assert len(up.console.json("host", "heartbeat", *mine)["transactions"]) == 1
    assert _state(up, listing) == "available"
    key = str(tmp_path / "operator.json")
    operator = up.console.json("wallet", "new", key)["address"]
    up.console.run("wallet", "airdrop", "1", "--keypair", key)
    assert len(up.console.json("host", "operator", operator, "--listing", listing, *mine)["transactions"]) == 1
    assert up.console.json("host", "heartbeat", *mine)["transactions"] == []
    assert len(up.console.json("host", "heartbeat", "--owner", wallet, "--keypair", key)["transactions"]) == 1
    theft = ("host", "operator", wallet, "--listing", listing, "--keypair", key)
    assert "another host" in up.console.run(*theft, code=2).stderr
    up.console.run("host", "price", listing, "2.90", *mine)
    rented = up.console.json("rent", "--listing", listing, "--duration", "1h")
    assert rented["rate_usd"] == 2_900_000
    assert _state(up, listing) == "rented"
    withdrawn = up.console.json("stop", rented["id"])
    assert withdrawn["close_reason"] == "withdrawn"
    assert withdrawn["refunded"] == withdrawn["deposit"]
    scored = up.console.json("host", "score", wallet)
    shown = up.console.json("host", "show", *mine)
    assert 0 < shown["score_bps"] == scored["score_bps"] <= 10_000 and shown["open_listings"] == 1
    assert (
        shown["counted"]["rentals_completed"],
        shown["counted"]["rentals_failed"],
        shown["counted"]["completion_bps"],
    ) == (
        0,
        0,
        None,
    )
    assert (shown["counted"]["uptime_part_bps"], shown["counted"]["prior_usd"]) == (5_000, 10_000_000)
    assert shown["counted"]["paid_usd"] == 0, "withdrawn before the host had begun"
    for command in ("show", "score"):
        said = up.console.run("host", command, wallet).stdout
        assert all(word in said for word in ("reputation", "uptime", "ratings", "completed", "$10.00"))
    found = {one["id"]: one["host_score_bps"] for one in up.console.json("listings", "--gpu", GPU)}
    assert found[listing] == shown["score_bps"]


def test_host_show__not_a_host__says_so_with_a_remedy(up: UpProcess) -> None:
    done = up.console.run("host", "show", "So11111111111111111111111111111111111111112", code=2)
    message, remedy = done.stderr.splitlines()
    assert "not registered" in message and "host register" in remedy


def test_keeper__once_with_nothing_due__says_so(up: UpProcess) -> None:
    summary = up.console.json("keeper", "--once")
    assert summary["ended"] == []
    assert summary["transactions"] == 0


def _state(up: UpProcess, listing: str) -> str:
    found = {one["id"]: one["status"] for one in up.console.json("listings", "--gpu", GPU)}
    state: str = found[listing]
    return state
