"""A subscription to a Yellowstone gRPC server: whole blocks at a commitment, filtered to a program's transactions.

Blocks rather than transactions are subscribed to, since a block says its time, its place after another, and that it is
whole.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import urlsplit

import grpc
from grpc import aio

from anchor_client.service.redaction import Endpoint
from anchor_client.solana.yellowstone.generated.geyser_pb2 import (
    SubscribeReplayInfoRequest,
    SubscribeReplayInfoResponse,
    SubscribeRequest,
    SubscribeRequestFilterBlocks,
    SubscribeRequestPing,
    SubscribeUpdate,
)
from anchor_client.solana.yellowstone.service import REPLAY_INFO, SUBSCRIBE, TOKEN, path
from indexer.errors import StreamLost
from indexer.index.sources.grpc.blocks import Block, block_of

SILENCE_SECONDS: Final = 30.0
"""Without a block or a ping after which the server is taken for lost."""
CALL_SECONDS: Final = 10.0
MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
# gRPC takes 4 MiB by default, and a whole block may be larger.
OPTIONS: Final = (("grpc.max_receive_message_length", MAX_MESSAGE_BYTES), ("grpc.keepalive_time_ms", 20_000))
PONG: Final = SubscribeRequest(ping=SubscribeRequestPing(id=1))
OUTAGES: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
    }
)
"""Failures that say nothing about whether the server could replay."""


@functools.cache
def keep_poller() -> None:
    """Keeps gRPC's poller for the life of the process. Called where an event loop runs."""
    # Else whatever closes or collects the last channel shuts the poller down and waits for it, on the event loop's own
    # thread, without end while a call of a lost stream is pending.
    aio.init_grpc_aio()


class BlockStream:
    """Reconnects each time that it is read."""

    def __init__(self, url: str, token: str | None, program: str, commitment: str) -> None:
        self._endpoint = Endpoint(url)
        self._program = program
        self._metadata = ((TOKEN, token),) if token else ()
        self._commitment = commitment.upper()

    def __str__(self) -> str:
        return str(self._endpoint)

    async def blocks(self, since: int | None) -> AsyncIterator[Block]:
        """Every block from slot `since` on, or from the oldest after it that the server has; without it, from now on.

        Raises StreamLost, or UnreadableTransaction.
        """
        keep_poller()
        try:
            async with self._channel() as channel:
                if since is not None:
                    since = await self._available(channel, since)
                subscribe = channel.stream_stream(
                    path(SUBSCRIBE),
                    request_serializer=SubscribeRequest.SerializeToString,
                    response_deserializer=SubscribeUpdate.FromString,
                )
                call = subscribe(metadata=self._metadata)
                await call.write(self._request(since))
                while True:
                    async with asyncio.timeout(SILENCE_SECONDS):
                        update = await call.read()
                    if not isinstance(update, SubscribeUpdate):
                        raise StreamLost("the server has ended it")
                    if update.HasField("block"):
                        yield block_of(update.block, self._program)
                    elif update.HasField("ping"):
                        # Load balancers end streams whose client says nothing.
                        await call.write(PONG)
        except aio.AioRpcError as error:
            code = error.code()
            raise StreamLost(f"{code.name}: {error.details()}", refused=code not in OUTAGES) from error
        except TimeoutError as error:
            raise StreamLost(f"nothing came for {SILENCE_SECONDS:g} s") from error

    async def _available(self, channel: aio.Channel, since: int) -> int:
        """Slot at which a replay can begin: `since` if the server does not say, and refuses what it cannot replay."""
        ask = channel.unary_unary(
            path(REPLAY_INFO),
            request_serializer=SubscribeReplayInfoRequest.SerializeToString,
            response_deserializer=SubscribeReplayInfoResponse.FromString,
        )
        try:
            told = await ask(SubscribeReplayInfoRequest(), metadata=self._metadata, timeout=CALL_SECONDS)
        except aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                raise
            return since
        if told.HasField("first_available"):
            return max(since, told.first_available)
        return since

    def _request(self, since: int | None) -> SubscribeRequest:
        blocks = SubscribeRequestFilterBlocks(
            account_include=[self._program], include_transactions=True, include_accounts=False, include_entries=False
        )
        return SubscribeRequest(blocks={"program": blocks}, commitment=self._commitment, from_slot=since)

    def _channel(self) -> aio.Channel:
        parts = urlsplit(self._endpoint.url)
        secure = parts.scheme == "https"
        host = parts.netloc.rpartition("@")[2]
        if parts.port:
            target = host
        else:
            target = f"{host}:{443 if secure else 80}"
        if secure:
            return aio.secure_channel(target, grpc.ssl_channel_credentials(), options=OPTIONS)
        return aio.insecure_channel(target, options=OPTIONS)
