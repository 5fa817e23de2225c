"""GET /api/governance/terms: what votes can change beside the parameters, as the chain says it."""

from __future__ import annotations

from typing import Any

import httpx
from sqlalchemy import Engine

from anchor_client.generated.pdas import find_payment_mint
from anchor_client.generated.types import PaymentMintTerms
from indexer.api.main import create_app
from indexer.settings import IndexerSettings
from localnet.server import LocalCluster
from tests.markets.recorded import Market
from tests.program.harness.actors import MINTS
from tests.program.harness.changes import TERMS
from tests.program.harness.market import DECIMALS
from tests.program.harness.staking import set_gpu_model

ALIKE = ("enabled", "shards", "max_age", "subsidy_bps", "burn_bps", "extra_fee_bps", "max_confidence_bps")


async def terms(local: LocalCluster, engine: Engine) -> dict[str, Any]:
    """The API's answer."""
    app = create_app(IndexerSettings(rpc_url=local.http_url, ws_url=local.ws_url), engine=engine)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://api") as api,
    ):
        told: dict[str, Any] = (await api.get("/api/governance/terms")).raise_for_status().json()
    return told


def said(terms: PaymentMintTerms) -> dict[str, Any]:
    """A mint's terms as the API says them, but for its price."""
    kind = {"oracle_kind": terms.oracle_kind.name.lower(), "oracle": str(terms.oracle)}
    return kind | {name: getattr(terms, name) for name in ALIKE}


async def test_terms__of_mints_models_and_rewards__are_what_the_market_was_told(
    local: LocalCluster, live: Market, sqlite_engine: Engine
) -> None:
    live.act(set_gpu_model(40_001, 7, 500_000))
    told = await terms(local, sqlite_engine)
    mints = {each["mint"]: each for each in told["payment_mints"]}
    assert mints.keys() == {str(mint) for mint in TERMS}
    for mint, wanted in TERMS.items():
        found = mints[str(mint)]
        assert {name: found[name] for name in said(wanted)} == said(wanted)
        assert (found["payment_mint"], found["decimals"]) == (str(find_payment_mint(mint)[0]), DECIMALS[mint])
    assert told["gpu_models"][-1] == {"number": 40_001, "gpu": "40001", "points": 7, "reference_usd": 500_000}
    assert told["gpu_models"][0]["gpu"] == "nvidia-h100-pcie-80gb" and told["gpu_models"][0]["points"] == 100
    assert told["reward_mints"] == sorted(map(str, MINTS))


async def test_terms__where_no_market_is_yet__are_none(local: LocalCluster, sqlite_engine: Engine) -> None:
    nothing: dict[str, list[object]] = {"payment_mints": [], "gpu_models": [], "reward_mints": []}
    assert await terms(local, sqlite_engine) == nothing
