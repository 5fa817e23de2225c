"""Keepers that race for the same rentals on a cluster where a lost race costs its fee. Invariant KPR-2."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from solana.rpc.commitment import Commitment
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from anchor_client.solana.node import NodeClient
from keeper.loop import run_once
from keeper.settings import KeeperSettings
from keeper.summary import KeeperSummary
from tests.keeper.test_service import serving
from tests.markets.parties import DURATION, TIP, SettingsOf, World

RENTALS = 20


@pytest.mark.parametrize("keepers", [2, 5])
async def test_run_once__all_send_at_once_without_preflight__each_ending_is_paid_once_and_losses_are_counted(
    world: World, settings: SettingsOf, monkeypatch: pytest.MonkeyPatch, keepers: int
) -> None:
    parties = world.running(RENTALS, shards=4)
    wallets = [world.wallet() for _ in range(keepers)]
    before = [world.lamports(wallet.pubkey()) for wallet in wallets]
    world.warp(DURATION)
    send_at_once(monkeypatch, keepers)

    summaries = await asyncio.gather(*(run_once(settings(keypair=wallet)) for wallet in wallets))

    ended = Counter(entry.rental for summary in summaries for entry in summary.ended)
    assert ended == Counter(party.rentals[0] for party in parties)
    assert sum(summary.earned_lamports for summary in summaries) == RENTALS * TIP
    assert sum(summary.lost_lamports for summary in summaries) > 0
    for wallet, balance, summary in zip(wallets, before, summaries, strict=True):
        landed = {entry.signature for entry in summary.ended}
        assert summary.lost_lamports == 5_000 * (summary.transactions - len(landed))
        assert world.lamports(wallet.pubkey()) - balance == summary.earned_lamports - summary.spent_lamports
    await world.assert_balanced(world.tokens.market_token)


@pytest.mark.parametrize("keepers", [2, 5])
async def test_run_service__turns_without_preflight__each_ending_is_paid_once(
    world: World, settings: SettingsOf, monkeypatch: pytest.MonkeyPatch, keepers: int
) -> None:
    send_at_once(monkeypatch, 0)
    turns = KeeperSettings.turn_seconds
    each = [settings(turn_seconds=turns, keypair=world.wallet()) for _ in range(keepers)]
    before = [world.lamports(one.wallet().pubkey) for one in each]
    parties = world.running(RENTALS, shards=4)
    async with asyncio.TaskGroup() as group:
        stop = asyncio.Event()
        services = [group.create_task(serve_until(one, stop)) for one in each]
        world.warp(DURATION)
        for party in parties:
            await world.until_ended(party.rentals[0])
        stop.set()
    summaries = [service.result() for service in services]
    ended = Counter(entry.rental for summary in summaries for entry in summary.ended)
    assert ended == Counter(party.rentals[0] for party in parties)
    for one, balance, summary in zip(each, before, summaries, strict=True):
        gained = world.lamports(one.wallet().pubkey) - balance
        assert gained == summary.earned_lamports - summary.spent_lamports
        assert summary.lost_lamports <= summary.spent_lamports


async def serve_until(settings: KeeperSettings, stop: asyncio.Event) -> KeeperSummary:
    """A service's summary, once it was told to stop."""
    async with serving(settings) as service:
        await stop.wait()
    assert service.summary is not None
    return service.summary


def send_at_once(monkeypatch: pytest.MonkeyPatch, clients: int) -> None:
    """Transactions go to the chain unchecked, and none before that many clients have one to send."""
    send, seen, ready = NodeClient.send_transaction, set[int](), asyncio.Event()

    async def unchecked(
        self: NodeClient, transaction: VersionedTransaction, *, preflight: bool, commitment: Commitment | None = None
    ) -> Signature:
        seen.add(id(self))
        if len(seen) >= clients:
            ready.set()
        await ready.wait()
        return await send(self, transaction, preflight=False, commitment=commitment)

    monkeypatch.setattr(NodeClient, "send_transaction", unchecked)
