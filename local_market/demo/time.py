"""Moves the embedded cluster's clock, slowly enough for heartbeats."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial

from solders.pubkey import Pubkey

from anchor_client.errors import UnreachableRpc
from anchor_client.generated.pdas import find_payment_mint
from anchor_client.market import Market
from anchor_client.service.redaction import redact
from anchor_client.solana.http.answer import HttpFailure
from anchor_client.solana.http.client import HttpClient
from local_market.demo.waiting import until
from local_market.errors import NotLocal, StartFailed

PATIENCE_SECONDS = 30.0


class TimeMachine:
    """Moves the cluster's clock. `listing` is the machine whose heartbeats each step waits for."""

    def __init__(self, market: Market, rpc_url: str, mint: Pubkey) -> None:
        self._market = market
        self._rpc_url = rpc_url
        self._payment_mint = find_payment_mint(mint, market.program_id)[0]

    async def pass_seconds(self, seconds: int, listing: Pubkey) -> None:
        """Lets `seconds` pass in even steps shorter than hosts may be silent; waits for heartbeat and price after each.

        Raises NotLocal on a cluster whose clock cannot be moved, StartFailed when no heartbeat comes.
        """
        longest = (await self._market.reads.market()).offline_after * 2 // 3
        steps = -(-seconds // longest)
        for step in range(steps):
            now = await self._warp(seconds * (step + 1) // steps - seconds * step // steps)
            await self._until(listing, partial(self._beaten, listing, now), "heartbeat")
            await self._until(self._payment_mint, partial(self._priced, now), "price")

    async def jump(self, seconds: int) -> None:
        """Lets `seconds` pass in one step, so that hosts miss heartbeats. NotLocal if the clock cannot be moved."""
        await self._warp(seconds)

    async def _warp(self, seconds: int) -> int:
        request = {"jsonrpc": "2.0", "id": 1, "method": "cheat_warp", "params": [{"seconds": seconds}]}
        try:
            async with HttpClient(self._rpc_url) as client:
                answer = json.loads((await client.post(json.dumps(request).encode())).text)
        except (HttpFailure, ValueError) as error:
            raise UnreachableRpc(f"{redact(self._rpc_url)} cannot be reached") from error
        if "error" in answer:
            raise NotLocal("The clock of this cluster cannot be moved")
        now: int = answer["result"]["unixTimestamp"]
        return now

    async def _beaten(self, listing: Pubkey, now: int) -> bool:
        return (await self._market.reads.listing(listing)).last_heartbeat_at >= now

    async def _priced(self, now: int) -> bool:
        mints = await self._market.reads.payment_mints()
        return mints[self._payment_mint].price_at >= now

    async def _until(self, account: Pubkey, condition: Callable[[], Awaitable[bool]], what: str) -> None:
        late = StartFailed(f"No {what} arrived within {PATIENCE_SECONDS:.0f} s of moving the clock")
        await until(self._market, account, condition, PATIENCE_SECONDS, late)
