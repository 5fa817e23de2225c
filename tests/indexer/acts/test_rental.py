from __future__ import annotations

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from tests.indexer.acts.desk import Desk
from tests.program.harness.actors import GPUM, HOST, LISTING, MINTS
from tests.program.harness.flows import running
from tests.program.harness.terms import HOUR
from tests.program.harness.tokens import put_tokens

ORDER = {"duration": HOUR, "order_hash": "ab" * 32}


@pytest.mark.parametrize("version", ["v0", "v1"])
@pytest.mark.parametrize("pay", ["GPUM", "SOL"])
async def test_open__signed__rents_for_what_the_summary_says(desk: Desk, pay: str, version: str) -> None:
    renter = desk.market.wallet()
    act = await desk.lands("/api/jobs", renter, pay=pay, version=version, **ORDER)
    assert act["version"] == version
    assert desk.market.rental(Pubkey.from_string(act["address"])).renter == renter
    [deposit] = [moved for moved in act["summary"]["movements"] if moved["purpose"] == "escrow"]
    assert (deposit["token"], deposit["amount"], deposit["from"]) == (pay, act["deposit"], str(renter))
    [most] = [one for one in act["summary"]["most"] if one["token"] == pay]
    assert int(most["amount"]) >= int(act["max_cost"])
    assert int(act["summary"]["rent_locked"]) > 0


@pytest.mark.parametrize("mint", MINTS, ids=["GPUM", "USDC", "SOL"])
async def test_stop__running__pays_both_to_the_base_unit(desk: Desk, mint: Pubkey) -> None:
    market, renter = desk.market, desk.market.renter()
    rental = running(market, renter, mint=mint)
    market.pass_time(600)
    act = await desk.lands(f"/api/jobs/{rental}/stop", renter, issue="unreachable")
    moved = {one["purpose"]: one for one in act["summary"]["movements"]}
    burns = {"burn"} if mint == GPUM else set()
    assert {"refund", "earnings", "account deposit returned"} | burns == moved.keys()
    assert (moved["earnings"]["to"], moved["refund"]["to"]) == (str(HOST), str(renter))
    assert await desk.refused(f"/api/jobs/{rental}/stop", renter) == (404, "unknown_job")


async def test_open__wallet_without_lamports__says_what_is_missing(desk: Desk) -> None:
    renter = desk.market.wallet()
    desk.cluster.set_account(renter, Account(1_000_000, b"", Pubkey.default()))
    answer = await desk.asked("/api/jobs", renter, **ORDER)
    assert (answer.status_code, answer.json()["error"]) == (409, "insufficient_lamports")
    assert "needs" in answer.json()["detail"] and "has" in answer.json()["detail"]


async def test_open__unknown_field_or_version__is_refused(desk: Desk) -> None:
    renter = desk.market.wallet()
    for wrong in ({"gpus": 2}, {"version": "legacy"}):
        assert await desk.refused("/api/jobs", renter, **ORDER, **wrong) == (422, "invalid_request")


async def test_extend__price_has_moved__is_refused_by_name(desk: Desk) -> None:
    market, renter = desk.market, desk.market.renter()
    rental = running(market, renter)
    market.pass_time(60)
    path = f"/api/jobs/{rental}/extend"
    assert await desk.refused(path, renter, seconds=HOUR, max_cost="1") == (409, "cost_above_maximum")
    put_tokens(market.recorder, GPUM, renter, 5)
    assert await desk.refused(path, renter, seconds=HOUR) == (409, "insufficient_balance")


async def test_open__listing_taken__is_refused_by_name(desk: Desk) -> None:
    running(desk.market, desk.market.renter())
    asked = {**ORDER, "listing": str(LISTING)}
    assert await desk.refused("/api/jobs", desk.market.wallet(), **asked) == (409, "listing_occupied")
