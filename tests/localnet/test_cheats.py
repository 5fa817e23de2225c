"""Methods that only the embedded cluster has."""

from typing import Any

import httpx
import pytest
from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from localnet.server import LocalCluster
from tests.localnet.endpoint import Endpoint
from tests.localnet.wallet import SOL, Wallet
from tests.processes.patience import PATIENCE

CLOCK = "SysvarC1ock11111111111111111111111111111111"


async def private(local: LocalCluster) -> Wallet:
    """A funded wallet on a cluster of its own."""
    client = AsyncClient(local.http_url, commitment=Confirmed)
    wallet = Wallet(client, Keypair())
    local.cluster.airdrop(wallet.address, 10 * SOL)
    return wallet


def on_chain_time(endpoint: Endpoint) -> int:
    config = {"encoding": "jsonParsed", "commitment": "confirmed"}
    parsed = endpoint.result("getAccountInfo", CLOCK, config)["value"]["data"]["parsed"]
    stamp: int = parsed["info"]["unixTimestamp"]
    return stamp


def test_clock__no_warp__follows_the_wall(localnet: Endpoint) -> None:
    first = localnet.result("cheat_warp", {"seconds": 0})
    assert abs(first["unixTimestamp"] - on_chain_time(localnet)) <= 1


def test_warp__seconds__moves_time_by_that_and_slots_by_one(localnet: Endpoint) -> None:
    before = on_chain_time(localnet)
    slot = localnet.result("getSlot", {"commitment": "processed"})
    clock = localnet.result("cheat_warp", {"seconds": 3600})
    assert 3600 <= clock["unixTimestamp"] - before <= 3602
    assert 1 <= clock["slot"] - slot <= 3
    assert on_chain_time(localnet) - before in range(3600, 3603)


@pytest.mark.parametrize("origin", ["https://page.example", "http://127.0.0.1:3000", "null"])
def test_cheat__asked_by_a_web_page__is_refused_and_changes_nothing(localnet: Endpoint, origin: str) -> None:
    before = on_chain_time(localnet)
    warp = {"jsonrpc": "2.0", "id": 1, "method": "cheat_warp", "params": [{"seconds": 3600}]}
    read = {"jsonrpc": "2.0", "id": 2, "method": "getVersion"}
    answer = httpx.post(localnet.http, json=[warp, read], headers={"Origin": origin}, timeout=PATIENCE)
    refused, version = answer.json()
    assert refused["error"]["message"] == "cheat_warp is not for web pages"
    assert "result" in version
    assert on_chain_time(localnet) - before < 3600


@pytest.mark.parametrize(
    "target", [{"seconds": -1}, {"unixTimestamp": 1_000}, {}, {"seconds": 1, "unixTimestamp": 2}, {"seconds": "1"}]
)
def test_warp__backwards_or_unclear__is_refused(localnet: Endpoint, target: dict[str, Any]) -> None:
    assert localnet.error("cheat_warp", target)["code"] == -32602


def test_set_account__whole_account__is_read_back(localnet: Endpoint) -> None:
    address, owner = str(Pubkey.new_unique()), str(Pubkey.new_unique())
    localnet.result("cheat_setAccount", address, {"lamports": 5, "owner": owner, "data": ["AQID", "base64"]})
    config = {"encoding": "base64", "commitment": "confirmed"}
    value = localnet.result("getAccountInfo", address, config)["value"]
    assert (value["lamports"], value["owner"], value["data"]) == (5, owner, ["AQID", "base64"])
    localnet.result("cheat_setAccount", address, None)
    assert localnet.result("getAccountInfo", address, config)["value"] is None


async def test_expire_blockhash__transaction_built_before__is_too_old() -> None:
    async with LocalCluster() as local:
        wallet = await private(local)
        transaction = await wallet.v0(wallet.pay(Keypair().pubkey(), SOL))
        local.cluster.expire_blockhash()
        fresh = await wallet.v0(wallet.pay(Keypair().pubkey(), SOL))
        assert local.cluster.processor.refusal(transaction, local.cluster.slot) == "BlockhashNotFound"
        assert local.cluster.processor.refusal(fresh, local.cluster.slot) is None
        await wallet.client.close()


async def test_pause__transaction__confirms_but_is_not_finalized_until_resumed() -> None:
    async with LocalCluster() as local:
        wallet = await private(local)
        local.cluster.pause()
        slot = local.cluster.slot
        stamp = local.cluster.clock.unix_timestamp
        signature = await wallet.send(await wallet.v0(wallet.pay(Keypair().pubkey(), SOL)))
        entry = local.cluster.store.entry(signature)
        assert entry is not None and entry.slot == slot
        assert local.cluster.finalized_slot < slot
        assert local.cluster.clock.unix_timestamp == stamp
        local.cluster.resume()
        assert local.cluster.slot == slot + 1
        assert local.cluster.finalized_slot == slot
        await wallet.client.close()


async def test_finalized_reads__unfinalized_transfer__show_the_state_before() -> None:
    async with LocalCluster(finality_lag=2) as local:
        wallet = await private(local)
        local.cluster.pause()
        to = Keypair().pubkey()
        await wallet.send(await wallet.v0(wallet.pay(to, SOL)))
        assert local.cluster.account(to, finalized=True) is None
        assert (local.cluster.account(to) or pytest.fail("no account")).lamports == SOL
        for _ in range(3):
            assert local.cluster.account(to, finalized=True) is None
            local.cluster.warp(1)
        assert (local.cluster.account(to, finalized=True) or pytest.fail("not finalized")).lamports == SOL
        await wallet.client.close()
