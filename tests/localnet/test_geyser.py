"""The embedded cluster's stream of blocks: what it serves, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from grpc import aio

from anchor_client.solana.yellowstone.generated.geyser_pb2 import (
    GetVersionRequest,
    GetVersionResponse,
    PingRequest,
    PongResponse,
    SubscribeReplayInfoRequest,
    SubscribeReplayInfoResponse,
    SubscribeRequest,
    SubscribeRequestFilterBlocks,
    SubscribeRequestFilterSlots,
    SubscribeRequestPing,
    SubscribeUpdate,
)
from anchor_client.solana.yellowstone.service import GET_VERSION, PING, REPLAY_INFO, SUBSCRIBE, path
from localnet.server import LocalCluster

BLOCKS = {"all": SubscribeRequestFilterBlocks()}


@pytest.fixture
async def channel() -> AsyncIterator[aio.Channel]:
    async with (
        LocalCluster(slot_ms=20, grpc_port=0) as local,
        aio.insecure_channel(f"127.0.0.1:{local.grpc_port}") as opened,
    ):
        yield opened


def subscription(channel: aio.Channel) -> aio.StreamStreamCall[Any, Any]:
    return channel.stream_stream(path(SUBSCRIBE), SubscribeRequest.SerializeToString, SubscribeUpdate.FromString)()


async def replay_info(channel: aio.Channel) -> int:
    ask = channel.unary_unary(
        path(REPLAY_INFO), SubscribeReplayInfoRequest.SerializeToString, SubscribeReplayInfoResponse.FromString
    )
    told: SubscribeReplayInfoResponse = await ask(SubscribeReplayInfoRequest())
    return told.first_available


async def test_ping_and_version__any_client__are_answered(channel: aio.Channel) -> None:
    ping = channel.unary_unary(path(PING), PingRequest.SerializeToString, PongResponse.FromString)
    version = channel.unary_unary(path(GET_VERSION), GetVersionRequest.SerializeToString, GetVersionResponse.FromString)
    assert (await ping(PingRequest(count=7))).count == 7
    assert json.loads((await version(GetVersionRequest())).version) == {"package": "gpu-market localnet"}


async def test_subscribe__from_a_slot__replays_every_block_in_order(channel: aio.Channel) -> None:
    first, call = await replay_info(channel), subscription(channel)
    await call.write(SubscribeRequest(blocks=BLOCKS, from_slot=first))
    slots = []
    while len(slots) < 5:
        update = await call.read()
        assert update.filters == ["all"] and update.block.parent_slot == update.block.slot - 1
        slots.append(update.block.slot)
    assert slots == list(range(first, first + 5))


async def test_subscribe__ping_among_blocks__gets_a_pong(channel: aio.Channel) -> None:
    call = subscription(channel)
    await call.write(SubscribeRequest(blocks=BLOCKS))
    await call.write(SubscribeRequest(ping=SubscribeRequestPing(id=3)))
    update = await call.read()
    while not update.HasField("pong"):
        update = await call.read()
    assert update.pong.id == 3


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (SubscribeRequest(slots={"all": SubscribeRequestFilterSlots()}), "not slots"),
        (SubscribeRequest(), "not nothing"),
        (SubscribeRequest(blocks=BLOCKS, from_slot=0), "from_slot 0 is not available"),
    ],
)
async def test_subscribe__what_is_not_served__is_refused(
    channel: aio.Channel, request_: SubscribeRequest, said: str
) -> None:
    call = subscription(channel)
    await call.write(request_)
    with pytest.raises(aio.AioRpcError, match=said) as refused:
        await call.read()
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
