"""Offering a machine from the command line, until somebody rents it."""

from __future__ import annotations

import asyncio
import csv
import json
import signal
from asyncio.subprocess import PIPE
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.console import SCRIPT
from tests.e2e.seeded import UpProcess
from tests.indexer.databases import in_time
from tests.indexer.service import until
from tests.processes.patience import PATIENCE

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
    waits = up.console.json("host", "show", *mine)["waiting"]
    assert waits["completed"] == waits["failed"] == waits["paid_usd"] == 0
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


async def test_host_price__follow__stays_in_bounds_and_is_told_until_ctrl_c(up: UpProcess, tmp_path: Path) -> None:
    mine = ("--keypair", str(tmp_path / "host.json"))
    up.console.run("wallet", "new", mine[1])
    up.console.run("wallet", "airdrop", "5", *mine)
    up.console.run("host", "register", "--seal-key", str(tmp_path / "seal.key"), *mine)
    wallet, authority = up.console.json("host", "show", *mine)["authority"], Path(up.ready["data"]) / "keys"
    up.console.run("host", "approve", wallet, "--keypair", str(authority / "authority.json"))
    machine = ("--gpu", GPU, "--region", "eu-west", "--price", "90", "--spot-price", "45")
    listing = up.console.json("host", "list", *machine, *mine)["listing"]
    bounds = ("--least", "1", "--most", "80", "--every", "1s")
    following = await asyncio.create_subprocess_exec(
        *(str(SCRIPT), "host", "price", listing, "--follow", *bounds, *mine, "--json"),
        env=up.console.environment,
        stderr=PIPE,
    )
    told: list[dict[str, Any]] = []
    try:
        async with asyncio.timeout(PATIENCE):
            assert following.stderr is not None
            while len(told) < 3:
                line = await following.stderr.readline()
                assert line, "it has ended"
                told += [json.loads(line)] if b"price_followed" in line else []
            following.send_signal(signal.SIGINT)
            assert await following.wait() == 0
    finally:
        if following.returncode is None:
            following.kill()
    assert told[0]["old_usd"] == 90_000_000
    for step in told:
        within = min(step["old_usd"], 80_000_000)
        assert within - within // 10 - 1 <= step["new_usd"] < within
    async with httpx.AsyncClient(base_url=up.ready["api_url"], timeout=PATIENCE) as api:

        async def is_on_the_page() -> bool:
            shown = (await api.get(f"/api/marketplace/listings/{listing}/prices")).json()
            prices = [each["on_demand_usd"] for each in shown["prices"]]
            spots = {each["spot_min_usd"] for each in shown["prices"]}
            return (
                prices[-1:] == [90_000_000]
                and {step["new_usd"] // 2 for step in told} <= spots
                and {step["new_usd"] for step in told} <= set(prices)
            )

        await until(is_on_the_page)


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


@pytest.mark.exhaustive
def test_host__change_hide_rotate_and_close__all_from_the_command_line(up: UpProcess, tmp_path: Path) -> None:
    key, authority = tmp_path / "host.json", Path(up.ready["data"]) / "keys" / "authority.json"
    wallet = up.console.json("wallet", "new", str(key))["address"]
    mine = ("--keypair", str(key))
    up.console.run("wallet", "airdrop", "5", *mine)
    up.console.run("host", "register", "--seal-key", str(tmp_path / "seal.key"), *mine)
    up.console.run("host", "approve", wallet, "--keypair", str(authority))
    machine = ("--gpu", GPU, "--region", "eu-west", "--price", "3.10", "--hidden")
    listing = up.console.json("host", "list", *machine, *mine)["listing"]
    changes = ("--visible", "--price", "2.80", "--spot-price", "0", "--longest", "7d", "--keep-days", "30")
    changes = (*changes, "--ram-gb", "128")
    assert up.console.json("host", "change", listing, *changes, *mine)["changed"] == {
        "visible": True,
        "on_demand_usd": 2_800_000,
        "spot_min_usd": 0,
        "mrl_seconds": 7 * 86_400,
        "keep_days": 30,
        "ram_gb": 128,
    }
    assert up.console.json("host", "change", listing, "--hidden", *mine)["changed"] == {"visible": False}
    hidden = up.console.run("host", "change", listing, "--hidden", *mine, code=2).stderr
    assert "is hidden already" in hidden and "hide it then" in " ".join(hidden.split())
    operator = tmp_path / "operator.json"
    resealed = up.console.json("host", "seal-key", str(tmp_path / "new.key"), *mine)
    again = up.console.json("host", "seal-key", str(tmp_path / "new.key"), *mine)
    assert resealed["seal_key"] == again["seal_key"] and (tmp_path / "new.key").stat().st_mode & 0o777 == 0o600
    rotated = up.console.json("host", "rotate", str(operator), *mine)
    assert len(rotated["transactions"]) == 1 and operator.stat().st_mode & 0o777 == 0o600
    assert up.console.json("host", "heartbeat", *mine)["transactions"] == []
    up.console.run("host", "close", listing, *mine)
    assert up.console.json("host", "show", *mine)["open_listings"] == 0


def test_host_earnings__after_a_job__each_payment_with_its_value(up: UpProcess) -> None:
    rented = up.console.lines("rent", "--gpu", "nvidia-a100-pcie-40gb", "--duration", "3h", "--wait")[0]
    ended = up.console.json("stop", rented["id"])
    region = ended["region"]
    host = ("--keypair", str(Path(up.ready["data"]) / "keys" / f"host-{region}.json"))

    def told() -> None:
        header, *rows = csv.reader(up.console.run("host", "earnings", "--csv", *host).stdout.splitlines())
        paid[:] = [dict(zip(header, row, strict=True)) for row in rows]
        mine[:] = [row for row in paid if row["job"] == rented["id"]]
        assert sum(Decimal(row["amount"]) for row in mine) == Decimal(ended["host_paid"]) / 10**6

    paid: list[dict[str, str]] = []
    mine: list[dict[str, str]] = []
    in_time(told)
    assert all(row["token"] == "GPUM" and Decimal(row["usd"]) > 0 for row in mine)
    assert [row["time"] for row in paid] == sorted(row["time"] for row in paid)
    assert up.console.json("host", "earnings", "--until", "2020-01-01", *host)["payments"] == []
    assert "2026-01-31" in up.console.run("host", "earnings", "--since", "yesterday", *host, code=2).stderr
