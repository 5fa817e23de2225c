"""The embedded cluster as the client's tests use it: where it is, and how to move its time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running cluster."""

    rpc_url: str
    ws_url: str

    async def call(self, method: str, *params: Any) -> Any:
        """One JSON-RPC call; AssertionError when it is refused."""
        async with httpx.AsyncClient(timeout=60) as client:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
            answer = (await client.post(self.rpc_url, json=body)).json()
        assert "error" not in answer, answer
        return answer["result"]

    async def warp(self, seconds: int) -> None:
        """Moves the clock forward."""
        await self.call("cheat_warp", {"seconds": seconds})

    async def expire_blockhashes(self) -> None:
        """Makes every blockhash given out so far too old."""
        await self.call("cheat_expireBlockhash")
