"""`python -m benchmarks.load.stream_node FILE`: a Yellowstone gRPC server that streams recorded updates.

The file has each update behind its length in four bytes. It sends what it has read and does nothing else, so that what
is measured is who listens.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import grpc
from grpc import aio

from anchor_client.solana.yellowstone.generated.geyser_pb2 import SubscribeUpdate
from anchor_client.solana.yellowstone.service import SERVICE, SUBSCRIBE

LENGTH_BYTES: Final = 4


def written(updates: Iterable[SubscribeUpdate]) -> bytes:
    """Updates as the file has them."""
    parts = [update.SerializeToString() for update in updates]
    return b"".join(len(part).to_bytes(LENGTH_BYTES, "little") + part for part in parts)


def _read(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        begin = at + LENGTH_BYTES
        at = begin + int.from_bytes(data[at:begin], "little")
        yield data[begin:at]


async def _serve(updates: list[bytes]) -> None:
    async def subscribe(requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        await anext(aiter(requests))
        for update in updates:
            yield update

    server = aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(subscribe)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {SUBSCRIBE: handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(json.dumps({"grpc": f"http://127.0.0.1:{port}"}), flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(_serve(list(_read(Path(sys.argv[1]).read_bytes()))))
