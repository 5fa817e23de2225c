"""The chain's height and pace, and a host's lock, are told as the node says them this moment."""

from __future__ import annotations

from pathlib import Path

from localnet.server import LocalCluster
from tests.anchor_client.solana.proxy import Proxy
from tests.indexer.proof.test_odd_answers import Behind
from tests.indexer.service import indexed
from tests.markets.recorded import Market
from tests.program.harness import staking
from tests.program.harness.actors import HOST

SAMPLE = {"slot": 9, "numSlots": 300, "numTransactions": 1, "numNonVoteTransactions": 1, "samplePeriodSecs": 60}


async def test_blocks__asked__say_height_and_the_pace_of_the_last_minute(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    async with (
        Proxy(local.http_url) as proxy,
        indexed(Behind(proxy.url, local.ws_url), f"sqlite:///{tmp_path / 'index.db'}", node_cache_seconds=0) as api,
    ):
        young = (await api.get("/api/blocks")).raise_for_status().json()
        assert young["height"] <= local.cluster.slot and young["slot_millis"] is None
        proxy.answers["getRecentPerformanceSamples"] = {"result": [SAMPLE]}
        local.cluster.warp(1)
        older = (await api.get("/api/blocks")).raise_for_status().json()
    assert older["height"] > young["height"] and older["slot_millis"] == 200


async def test_lock__of_a_host__is_told_with_what_it_leaves_of_the_extra_fee(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    live.act(staking.lock_mfp(amount=9_000))
    async with indexed(local, f"sqlite:///{tmp_path / 'index.db'}") as api:
        told = (await api.get(f"/api/mfp/{HOST}")).raise_for_status().json()
        missing = await api.get(f"/api/mfp/{live.renter()}")
    assert (told["host"], told["locked"], told["unlocking"], told["unlock_at"]) == (str(HOST), "9000", "0", None)
    assert set(told["extra_fee_bps"]) and int(told["required"]) > 9_000
    assert (missing.status_code, missing.json()["error"]) == (404, "unknown_host")
