"""`python -m benchmarks.load.backfill_node FILE`: a node that serves recorded transactions, a line of JSON each.

It answers getSignaturesForAddress and getTransaction, single or in batches, and does as little else as it can, so that
what is measured is who asks.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
from httptools import HttpRequestParser


class Recorded:
    """A chain of transactions, oldest first."""

    def __init__(self, lines: list[bytes]) -> None:
        self._answers: dict[str, bytes] = {}
        self._newest_first: list[dict[str, Any]] = []
        for line in lines:
            answer = msgspec.json.decode(line)
            signature = answer["transaction"]["signatures"][0]
            self._answers[signature] = line
            entry = {"signature": signature, "slot": answer["slot"], "err": answer["meta"]["err"]}
            self._newest_first.append(
                entry | {"blockTime": answer["blockTime"], "transactionIndex": answer["transactionIndex"]}
            )
        self._newest_first.reverse()
        self._places = {entry["signature"]: place for place, entry in enumerate(self._newest_first)}

    def answer(self, body: bytes) -> bytes:
        """The answer to a request or batch."""
        asked = msgspec.json.decode(body)
        if isinstance(asked, list):
            return b"[" + b",".join(map(self._one, asked)) + b"]"
        return self._one(asked)

    def _one(self, asked: dict[str, Any]) -> bytes:
        first, config = asked["params"]
        if asked["method"] == "getTransaction":
            result = self._answers[first]
        else:
            start = self._places[config["before"]] + 1 if "before" in config else 0
            result = msgspec.json.encode(self._newest_first[start : start + config["limit"]])
        return b'{"jsonrpc":"2.0","result":%s,"id":%d}' % (result, asked["id"])


class _Connection(asyncio.Protocol):
    def __init__(self, chain: Recorded) -> None:
        self._chain = chain
        self._parser = HttpRequestParser(self)
        self._parts: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        self._parts.append(body)

    def on_message_complete(self) -> None:
        answer = self._chain.answer(b"".join(self._parts))
        self._parts.clear()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        self._transport.write(head % len(answer) + answer)


async def _serve(chain: Recorded) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: _Connection(chain), "127.0.0.1", 0)
    print(json.dumps({"rpc": f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"}), flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(Recorded(Path(sys.argv[1]).read_bytes().splitlines())))
