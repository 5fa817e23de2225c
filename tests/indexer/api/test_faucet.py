"""The faucet gives nothing away on a market that is not for tests, whatever it is configured with."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from solders.keypair import Keypair
from sqlalchemy import Engine

from anchor_client.errors import BadKeyFile
from anchor_client.solana.wallet import Wallet
from indexer.api.main import create_app
from indexer.settings import IndexerSettings
from localnet.server import LocalCluster
from tests.markets.recorded import Market

NEWCOMER = {"wallet": str(Keypair().pubkey())}


@pytest.mark.parametrize("has_key", [True, False])
async def test_faucet__market_not_for_tests__gives_nothing(
    local: LocalCluster, sqlite_engine: Engine, tmp_path: Path, has_key: bool
) -> None:
    Market(local.cluster, testing=False)
    key = tmp_path / "faucet.json"
    Wallet.generate(key)
    settings = IndexerSettings(
        rpc_url=local.http_url, ws_url=local.ws_url, faucet_keypair=str(key) if has_key else None
    )
    app = create_app(settings, engine=sqlite_engine)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://api") as api,
    ):
        assert (await api.get("/api/faucet")).json() == {"gifts": []}
        refused = await api.post("/api/faucet", json=NEWCOMER)
        held = (await api.get(f"/api/balances/{NEWCOMER['wallet']}")).json()["balances"]
    assert (refused.status_code, refused.json()["error"]) == (409, "faucet_closed")
    assert held and {one["amount"] for one in held} == {"0"}


async def test_faucet__key_file_that_is_none__stops_the_service_at_its_start(
    local: LocalCluster, sqlite_engine: Engine, tmp_path: Path
) -> None:
    settings = IndexerSettings(rpc_url=local.http_url, faucet_keypair=str(tmp_path / "none.json"))
    app = create_app(settings, engine=sqlite_engine)
    with pytest.raises(BadKeyFile):
        async with app.router.lifespan_context(app):
            pass
