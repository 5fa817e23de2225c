"""Subscribing to a node that refuses, closes or is not there."""

from __future__ import annotations

import asyncio
from collections import Counter

from solana.rpc.commitment import Confirmed
from solana.rpc.websocket_api import SolanaWsClient
from solders.keypair import Keypair

from anchor_client.service.pacing import background
from anchor_client.solana.pubsub import Subscription
from localnet.server import LocalCluster
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports
from tests.pubsub_node import PubsubNode


async def test_run__notified__sets_changed() -> None:
    async with PubsubNode.running(refusals=0) as node:
        subscription = Subscription(node.ws_url, SolanaWsClient.slot_subscribe)
        async with background(subscription.run()):
            assert await subscription.wait(20) and subscription.is_live


async def test_run__subscription_refused__subscribes_again_and_counts_each_loss() -> None:
    lost: Counter[str] = Counter()
    async with PubsubNode.running(refusals=2) as node:
        subscription = Subscription(node.ws_url, SolanaWsClient.slot_subscribe, on_lost=lambda: lost.update(["lost"]))
        async with background(subscription.run()):
            assert not await subscription.wait(0.1) and not subscription.is_live
            assert await subscription.wait(20)
    assert (lost["lost"], len(node.requests)) == (2, 3)


async def test_run__connection_closed__is_no_longer_live() -> None:
    gone = asyncio.Event()
    async with PubsubNode.running(refusals=0) as node:
        subscription = Subscription(node.ws_url, SolanaWsClient.slot_subscribe, on_lost=gone.set)
        running = asyncio.create_task(subscription.run())
        assert await subscription.wait(20)
    async with asyncio.timeout(PATIENCE):
        await gone.wait()
    assert not subscription.is_live and not running.done()
    running.cancel()


async def test_run__no_node_there__keeps_trying() -> None:
    tries = asyncio.Semaphore(0)
    url = f"ws://127.0.0.1:{free_ports()}"
    subscription = Subscription(url, SolanaWsClient.slot_subscribe, on_lost=tries.release)
    async with background(subscription.run()), asyncio.timeout(PATIENCE):
        await tries.acquire()
        await tries.acquire()


async def test_run__node_that_refuses__the_next_is_subscribed_to() -> None:
    async with PubsubNode.running(refusals=9) as refusing, PubsubNode.running(refusals=0) as taking:
        subscription = Subscription(f"{refusing.ws_url},{taking.ws_url}", SolanaWsClient.slot_subscribe)
        async with background(subscription.run()):
            assert await subscription.wait(20) and subscription.is_live
        assert len(refusing.requests) == len(taking.requests) == 1


async def test_run__node_that_falls_silent__the_next_is_subscribed_to() -> None:
    async with PubsubNode.running(refusals=0) as silent, PubsubNode.running(refusals=0) as other:
        silent.is_silent = True
        lost = asyncio.Event()
        subscription = Subscription(
            f"{silent.ws_url},{other.ws_url}",
            SolanaWsClient.root_subscribe,
            on_lost=lost.set,
            silence_seconds=0.2,
        )
        async with background(subscription.run()), asyncio.timeout(PATIENCE):
            await lost.wait()
            await other.taken.wait()
        assert [request["method"] for request in silent.requests] == ["rootSubscribe", "slotSubscribe"]


async def test_run__slots_that_pass__keep_it_alive_and_are_no_change() -> None:
    async with LocalCluster(slot_ms=20) as local:
        lost: list[str] = []
        slots: list[int] = []
        subscription = Subscription(
            local.ws_url,
            _to_an_account,
            on_lost=lambda: lost.append("lost"),
            silence_seconds=1.0,
            on_slot=lambda told: slots.append(told.slot),
        )
        async with background(subscription.run()):
            assert await subscription.wait(20)
            assert not await subscription.wait(1.5) and subscription.is_live and not lost
        assert len(slots) > 10 and slots == sorted(slots)


async def _to_an_account(socket: SolanaWsClient) -> None:
    await socket.account_subscribe(pubkey=Keypair().pubkey(), commitment=Confirmed, encoding="base64")


async def test_run__no_url__ends() -> None:
    await Subscription(None, SolanaWsClient.slot_subscribe).run()
