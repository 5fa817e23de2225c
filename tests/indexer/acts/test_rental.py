from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from tests.indexer.acts.desk import Desk
from tests.program.harness.actors import GPUM
from tests.program.harness.flows import running
from tests.program.harness.market import WALLET_TOKENS
from tests.program.harness.terms import HOUR

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


async def test_stop__running__pays_both_to_the_base_unit(desk: Desk) -> None:
    market, renter = desk.market, desk.market.renter()
    rental = running(market, renter)
    market.pass_time(600)
    act = await desk.lands(f"/api/jobs/{rental}/stop", renter, issue="unreachable")
    purposes = {moved["purpose"] for moved in act["summary"]["movements"]}
    assert {"refund", "earnings", "burn", "rent returned"} <= purposes
    assert market.tokens(renter, GPUM) < WALLET_TOKENS
    assert await desk.refused(f"/api/jobs/{rental}/stop", renter) == (404, "unknown_job")
