"""A newcomer's wallet gets test tokens of a local market, once until it has spent them."""

from __future__ import annotations

import httpx
import pytest
from solders.keypair import Keypair

from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

GIFTS = {"SOL": 10**9, "GPUM": 10**9}


@pytest.mark.xdist_group("up")
def test_faucet__new_wallet__gets_sol_and_tokens_once(up: UpProcess) -> None:
    wallet = str(Keypair().pubkey())
    with httpx.Client(base_url=up.ready["api_url"], timeout=PATIENCE) as api:
        offered = api.get("/api/faucet").json()["gifts"]
        given = api.post("/api/faucet", json={"wallet": wallet}).raise_for_status().json()
        held = api.get(f"/api/balances/{wallet}").json()["balances"]
        again = api.post("/api/faucet", json={"wallet": wallet})
        unknown = api.post("/api/faucet", json={"wallet": wallet, "amount": "1"})
    assert given["gifts"] == offered and given["wallet"] == wallet and given["signature"]
    amounts = {one["token"]: int(one["amount"]) for one in held}
    assert amounts.items() >= GIFTS.items()
    assert {one["mint"]: one["amount"] for one in offered}.items() <= {
        one["mint"]: one["amount"] for one in held
    }.items()
    assert (again.status_code, again.json()["error"]) == (409, "wallet_has_enough")
    assert unknown.status_code == 422
