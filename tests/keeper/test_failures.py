"""Poisoned endings, rival keepers, lost answers and blockhashes that run out. Invariant KPR-2."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
from solana.rpc.commitment import Commitment
from solders.keypair import Keypair
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from anchor_client.errors import RpcRefused, UnreachableRpc
from anchor_client.generated.pdas import find_renter_profile
from anchor_client.solana.http.answer import HttpAnswer, TooSlow
from anchor_client.solana.http.client import HttpClient
from anchor_client.solana.node import NodeClient
from keeper.errors import KeeperOutOfFunds
from keeper.loop import run_once
from keeper.names import BatchMode
from keeper.settings import KeeperSettings
from local_market.keys import MarketKeyring
from localnet.server import LocalCluster
from tests.anchor_client.solana.proxy import Proxy
from tests.markets.parties import DURATION, TIP, SettingsOf, World


@pytest.mark.parametrize("mode", [BatchMode.LEGACY, BatchMode.V1])
async def test_run_once__poison_in_the_middle__others_end_and_it_is_set_aside_by_name(
    world: World, settings: SettingsOf, mode: BatchMode
) -> None:
    parties = world.running(9)
    poisoned = parties[4]
    world.close_account(find_renter_profile(poisoned.renter.pubkey())[0])
    world.warp(DURATION)

    summary = await run_once(settings(batch_mode=mode))

    assert {ended.rental for ended in summary.ended} == {p.rentals[0] for p in parties if p is not poisoned}
    [(rental, entry)] = summary.failed.items()
    assert rental == poisoned.rentals[0] and entry.reason == "AccountMissing"
    assert summary.exit_code == 1
    assert set(await world.rentals()) == {rental}


async def test_run_once__two_keepers_at_once__each_rental_pays_one_tip(world: World, settings: SettingsOf) -> None:
    parties = world.running(20, shards=4)
    first, second = world.wallet(), world.wallet()
    before = {key.pubkey(): world.lamports(key.pubkey()) for key in (first, second)}
    world.warp(DURATION)

    summaries = await asyncio.gather(run_once(settings(keypair=first)), run_once(settings(keypair=second)))

    ended = Counter(entry.rental for summary in summaries for entry in summary.ended)
    assert ended == Counter(party.rentals[0] for party in parties)
    assert sum(summary.earned_lamports for summary in summaries) == 20 * TIP
    assert [summary.exit_code for summary in summaries] == [0, 0]
    for key, summary in zip((first, second), summaries, strict=True):
        gained = world.lamports(key.pubkey()) - before[key.pubkey()]
        assert gained == summary.earned_lamports - summary.spent_lamports
    await world.assert_balanced(world.tokens.market_token)


async def test_run_once__answer_to_a_send_is_lost__is_paid_once(
    world: World, settings: SettingsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.running(3)
    keeper = world.wallet()
    before = world.lamports(keeper.pubkey())
    world.warp(DURATION)
    lost = lose_answers(monkeypatch, "sendTransaction")

    summary = await run_once(settings(keypair=keeper))

    assert lost and len(summary.ended) == 3 and summary.transactions == 1
    assert world.lamports(keeper.pubkey()) - before == 3 * TIP - 5_000


@pytest.mark.parametrize("code", [-32005, -32016, -1], ids=["data left out", "slot not reached", "not of Solana"])
async def test_run_once__node_refuses_in_its_own_words__the_network_is_to_blame(
    world: World, settings: SettingsOf, code: int
) -> None:
    async with Proxy(world.local.http_url) as proxy:
        proxy.answers["getProgramAccounts"] = {"error": {"code": code, "message": "busy"}}
        with pytest.raises(RpcRefused, match="busy"):
            await run_once(settings(rpc_url=proxy.url))


async def test_run_once__keeper_without_sol__says_so(world: World, settings: SettingsOf) -> None:
    world.running(1)
    world.warp(DURATION)
    with pytest.raises(KeeperOutOfFunds, match="cannot pay"):
        await run_once(settings(keypair=Keypair()))


@pytest.fixture
async def quick_world() -> AsyncIterator[World]:
    """A market whose blockhashes are valid for three seconds."""
    async with LocalCluster(slot_ms=20) as local:
        client = NodeClient(local.http_url)
        yield await World.create(local, client, MarketKeyring.generate())
        await client.close()


async def test_run_once__transaction_that_never_arrives__is_signed_anew_once_it_has_expired(
    quick_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = quick_world
    world.running(2)
    keeper = world.wallet()
    world.warp(DURATION)
    dropped = drop_first_transaction(monkeypatch)

    summary = await run_once(KeeperSettings(rpc_url=world.local.http_url, keypair=keeper))

    assert len(dropped) > 1, "it is sent again while it may land"
    assert len(set(dropped)) == 1, "it is never signed again before it has expired"
    assert len(summary.ended) == 2 and summary.transactions == 2
    assert summary.spent_lamports == 5_000


def lose_answers(monkeypatch: pytest.MonkeyPatch, method: str) -> list[bytes]:
    """Requests of a method reach the node, their answers do not come back; the requests."""
    lost: list[bytes] = []
    post = HttpClient.post

    async def unheard(self: HttpClient, body: bytes) -> HttpAnswer:
        answer = await post(self, body)
        if f'"{method}"'.encode() in body:
            lost.append(body)
            raise TooSlow("the answer was lost")
        return answer

    monkeypatch.setattr(HttpClient, "post", unheard)
    return lost


def drop_first_transaction(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The first transaction sent never reaches the node, however often it is sent; the attempts."""
    dropped: list[bytes] = []
    send = NodeClient.send_transaction

    async def dropping(
        self: NodeClient, transaction: VersionedTransaction, *, preflight: bool, commitment: Commitment | None = None
    ) -> Signature:
        if dropped and bytes(transaction) != dropped[0]:
            return await send(self, transaction, preflight=preflight, commitment=commitment)
        dropped.append(bytes(transaction))
        raise UnreachableRpc("dropped")

    monkeypatch.setattr(NodeClient, "send_transaction", dropping)
    return dropped
