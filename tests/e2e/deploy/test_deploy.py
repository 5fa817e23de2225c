"""`gpu-market deploy` on an empty cluster: no program, no market, no tokens."""

from __future__ import annotations

import asyncio
import json

import pytest
from xprocess import XProcess

from local_market.program import PROGRAM_PATH
from tests.e2e import providers
from tests.e2e.console import SCRIPT
from tests.e2e.deploy.empty import Empty, second
from tests.processes.embedded import running

SOL = 10**9


def test_deploy__empty_cluster__opens_the_market_once(empty: Empty) -> None:
    planned = empty.json("deploy", str(empty.file), "--dry-run")
    assert planned["deploys"] and planned["transactions"] == 0
    text = empty.file.read_text().replace("room = 0 ", "room = 4096 ")
    empty.file.write_text(text.replace("epoch_seconds          = 86400", "epoch_seconds = 3600"))
    planned = empty.json("deploy", str(empty.file), "--dry-run")
    works = [work["text"] for work in planned["works"]]
    shorter, pool = "set epoch_seconds from 86400 to 3600", "open the stake pool"
    assert works.index(shorter) < works.index(pool), "the first epoch is as long as the file says"
    assert empty.call("getAccountInfo", planned["program_id"])["value"] is None
    assert empty.json("deploy", str(empty.file), code=2)["error"] == "WalletTooPoor"
    empty.fund()
    assert empty.json("deploy", str(empty.file), code=2)["error"] == "Declined"
    done = empty.json("deploy", str(empty.file), "--yes")
    assert done["transactions"] > 0
    assert done["doctor"]["status"] == "warning", "no API, keys that can upgrade and mint"
    spent, planned_cost = int(done["spent_lamports"]), int(done["rent_lamports"]) + int(done["fee_lamports"])
    assert abs(spent - planned_cost) < planned_cost // 50, "the plan says what it costs"
    again = empty.json("deploy", str(empty.file))
    assert (again["deploys"], again["works"], again["spent_lamports"]) == (False, [], "0")
    manifest = json.loads((empty.folder / "market.json").read_text())
    assert manifest["program_id"] == done["program_id"]
    verified = empty.json("deploy", "verify", done["program_id"])
    assert verified["room"] == verified["bytes"] + 4096
    assert verified["matches"] and verified["deployed_sha256"] == manifest["program_sha256"]


@pytest.mark.exhaustive
def test_deploy__changed_file__changes_only_that(empty: Empty) -> None:
    empty.fund()
    empty.json("deploy", str(empty.file), "--yes")
    text = empty.file.read_text().replace("min_duration           = 21600", "min_duration = 60")
    empty.file.write_text(text.replace("max_age = 3600 ", "max_age = 1800 "))
    planned = empty.json("deploy", str(empty.file), "--dry-run")
    assert [work["text"] for work in planned["works"]] == [
        "set min_duration from 21600 to 60",
        "change the terms of GPUM",
    ]
    empty.json("deploy", str(empty.file), "--yes")
    assert empty.json("deploy", str(empty.file), "--dry-run")["works"] == []


@pytest.mark.exhaustive
async def test_deploy__killed_again_and_again__goes_on_where_it_ended(empty: Empty) -> None:
    await asyncio.to_thread(empty.fund)
    for stage in ("Uploading", " bytes", "Tokens", "Mints and pool", "Vaults and catalog"):
        process = await asyncio.create_subprocess_exec(
            *(str(SCRIPT), "deploy", str(empty.file), "--yes", "--rpc", empty.url),
            env=empty.console.environment,
            stderr=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
        )
        assert process.stderr is not None
        told = ""
        while stage not in told:
            told = (await process.stderr.readline()).decode()
            assert told, f"it has ended before it said {stage!r}"
        process.kill()
        await process.communicate()
    done = await asyncio.to_thread(empty.json, "deploy", str(empty.file), "--yes")
    assert (await asyncio.to_thread(empty.json, "deploy", "verify", done["program_id"]))["matches"]
    buffer = json.loads((empty.folder / "keys/buffer.json").read_text())
    assert len(buffer) == 64
    again = await asyncio.to_thread(empty.json, "deploy", str(empty.file))
    assert again["works"] == []


def test_deploy__wrong_cluster_or_testing_on_mainnet__is_refused(empty: Empty) -> None:
    text = empty.file.read_text()
    empty.file.write_text(text.replace('cluster = "localnet"', 'cluster = "devnet"'))
    assert empty.json("deploy", str(empty.file), "--dry-run", code=2)["error"] == "WrongCluster"
    empty.file.write_text(text.replace('cluster = "localnet"', 'cluster = "mainnet"'))
    assert empty.json("deploy", str(empty.file), "--dry-run", code=2)["error"] == "MarketForTestsOnMainnet"
    empty.file.write_text(text.replace("tip_lamports           = 20000", "tip_lamports = 100000001"))
    refused = empty.json("deploy", str(empty.file), "--dry-run", code=2)
    assert refused["error"] == "BadMarketFile" and "tip_lamports" in refused["message"]


@pytest.mark.exhaustive
def test_upgrade__by_the_authority__replaces_the_code_and_nothing_twice(empty: Empty) -> None:
    empty.fund()
    program = empty.json("deploy", str(empty.file), "--yes")["program_id"]
    build = second(empty.folder)
    empty.console.run("config", "set", "program_id", program)
    assert empty.as_authority("upgrade", str(build), "--dry-run")["changed"] is False
    assert empty.as_authority("upgrade", str(build), "--yes")["changed"] is True
    assert empty.as_authority("upgrade", str(build), "--yes")["changed"] is False
    assert empty.json("deploy", "verify", "--against", str(build))["matches"]
    assert empty.json("deploy", "verify", code=1)["matches"] is False
    assert empty.json("deploy", str(empty.file), code=2)["error"] == "ProgramDiffers"
    longer = empty.folder / "longer.so"
    longer.write_bytes(PROGRAM_PATH.read_bytes() + bytes(20_000))
    assert empty.as_authority("upgrade", str(longer), "--yes")["changed"] is True
    assert empty.json("deploy", "verify")["matches"], "but for the zeros behind it"


@pytest.mark.exhaustive
def test_close__program_on_localnet__returns_its_rent(empty: Empty) -> None:
    empty.fund()
    done = empty.json("deploy", str(empty.file), "--yes")
    confirmed = {"commitment": "confirmed"}
    before = empty.call("getBalance", done["authority"], confirmed)["value"]
    closed = empty.as_authority("deploy", "close", done["program_id"], "--yes")
    assert closed["kind"] == "program"
    assert empty.call("getBalance", done["authority"], confirmed)["value"] - before > 5 * SOL


@pytest.mark.exhaustive
def test_config_use__market_of_another_cluster__is_refused_before_anything_is_sent(
    empty: Empty, xprocess: XProcess
) -> None:
    empty.fund()
    program = empty.json("deploy", str(empty.file), "--yes")["program_id"]
    manifest, keypair = str(empty.folder / "market.json"), str(empty.folder / "keys/authority.json")
    empty.console.run("config", "use", "mine", "--market", manifest)
    empty.console.run("config", "set", "rpc_url", empty.url)
    assert empty.console.json("config", "show")["program_id"] == program
    assert {one["token"] for one in empty.console.json("tokens")} == {"GPUM", "USDC", "SOL"}
    with running(xprocess, *providers.options()) as (elsewhere, _):
        there = ("--rpc", elsewhere, "--keypair", keypair)
        empty.console.run("wallet", "airdrop", "100", *there)
        empty.console.run("deploy", str(empty.file), "--yes", "--rpc", elsewhere)
        build = second(empty.folder)
        refused = empty.console.json("upgrade", str(build), "--yes", *there, code=2)
        assert refused["error"] == "WrongCluster"
        assert empty.console.json("deploy", "verify", "--rpc", elsewhere)["matches"]
    empty.console.run("config", "use", "localnet")
    assert empty.console.json("config", "show")["tokens"] == {}
