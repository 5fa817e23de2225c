"""Subscribing to a node that refuses, closes or is not there."""

from __future__ import annotations

import asyncio
from collections import Counter

from solana.rpc.websocket_api import SolanaWsClient

from anchor_client.pacing import background
from anchor_client.pubsub import Subscription
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
    async with asyncio.timeout(20):
        await gone.wait()
    assert not subscription.is_live and not running.done()
    running.cancel()


async def test_run__no_node_there__keeps_trying() -> None:
    tries = asyncio.Semaphore(0)
    url = f"ws://127.0.0.1:{free_ports()}"
    subscription = Subscription(url, SolanaWsClient.slot_subscribe, on_lost=tries.release)
    async with background(subscription.run()), asyncio.timeout(20):
        await tries.acquire()
        await tries.acquire()


async def test_run__no_url__ends() -> None:
    await Subscription(None, SolanaWsClient.slot_subscribe).run()
