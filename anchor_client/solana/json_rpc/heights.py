"""The chain's height, by vote, and the newest slots seen.

No single node is believed: a height is the lower median of what several report, so that of two nodes the lower
one counts, and of three the middle one. Nodes that lag are found by the upper median.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from anchor_client.service.errors import GpuMarketError
from anchor_client.solana.errors import UnreachableRpc
from anchor_client.solana.json_rpc.endpoint import NodeEndpoint
from anchor_client.solana.json_rpc.refusals import SLOT_NOT_REACHED, refusal_of
from anchor_client.solana.slots import FASTEST_SLOT_SECONDS

VOTE_SECONDS: Final = 120.0
"""Seconds between votes of the nodes while calls are made."""
VOTE_PATIENCE: Final = 2.0
FEWEST: Final = 2
BEHIND_SLOTS: Final = 32
_SLOT: Final = b'{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[{"commitment":"confirmed"}]}'

T = TypeVar("T")
Vote = Callable[[NodeEndpoint], Coroutine[Any, Any, int]]


class _Context(Struct, frozen=True):
    slot: int


class _Result(Struct, frozen=True):
    context: _Context


class _Answer(Struct, frozen=True):
    result: _Result


class _SlotAnswer(Struct, frozen=True):
    result: int


_read_context = msgspec.json.Decoder(_Answer)
_read_slot = msgspec.json.Decoder(_SlotAnswer)


class Heights:
    """Heights that several nodes report, and the newest slot seen at each commitment."""

    def __init__(self, endpoints: Sequence[NodeEndpoint]) -> None:
        self._endpoints = endpoints
        self._believed: int | None = None
        self._voted_at = 0.0
        self._seen: dict[str, int] = {}
        self._voting: asyncio.Task[None] | None = None

    async def keep_up(self) -> None:
        """Has the nodes vote when it is time; only the first vote is waited for."""
        if self._voting is None or (self._voting.done() and time.monotonic() - self._voted_at > VOTE_SECONDS):
            self._voting = asyncio.create_task(self._look())
        if self._believed is None:
            await asyncio.shield(self._voting)

    async def vote(self, ask: Vote) -> int:
        """The height that the nodes agree on. UnreachableRpc when fewer than two say one."""
        well = [each for each in self._endpoints if not each.is_doubted and not each.rest_left]
        said = await self._ask(well if len(well) >= FEWEST else self._endpoints, ask)
        if len(said) < FEWEST:
            raise UnreachableRpc(f"{len(said)} of {len(self._endpoints)} nodes report the chain's height")
        return _lower_median(said.values())

    def least(self, commitment: str) -> int | None:
        """The newest slot that a node has answered from at a commitment."""
        return self._seen.get(commitment)

    def checked(self, commitment: str, read: Callable[[str], T]) -> Callable[[str], T]:
        """Reads answers, remembers their slots and refuses one older than an earlier answer."""

        def check(raw: str) -> T:
            result = read(raw)
            try:
                slot = _read_context.decode(raw).result.context.slot
            except msgspec.MsgspecError:
                return result
            if slot < self._seen.get(commitment, 0):
                raise refusal_of(SLOT_NOT_REACHED, f"it is at slot {slot}, before {self._seen[commitment]}")
            if slot <= self._ceiling():
                self._seen[commitment] = slot
            return result

        return check

    async def close(self) -> None:
        """Ends a vote."""
        if self._voting is not None:
            self._voting.cancel()
            await asyncio.gather(self._voting, return_exceptions=True)

    async def _look(self) -> None:
        said = await self._ask(self._endpoints, lambda each: each.ask("getSlot", _SLOT, _slot))
        self._voted_at = time.monotonic()
        if len(said) < FEWEST:
            self._believed = self._believed or 0
            return
        self._believed = _lower_median(said.values())
        leading = sorted(said.values())[len(said) // 2]
        for each, slot in said.items():
            each.slot = slot
            each.lag = max(0, leading - slot)
        self._seen = {name: min(slot, self._ceiling()) for name, slot in self._seen.items()}

    async def _ask(self, endpoints: Sequence[NodeEndpoint], ask: Vote) -> dict[NodeEndpoint, int]:
        tasks = {asyncio.create_task(ask(each)): each for each in endpoints}
        try:
            done, late = await asyncio.wait(tasks, timeout=VOTE_PATIENCE)
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            raise
        for task in late:
            tasks[task].failed(UnreachableRpc("it does not answer in time"))
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return {tasks[task]: task.result() for task in done if _succeeded(task)}

    def _ceiling(self) -> int:
        """Highest slot that the chain can have reached since the last vote; no node alone raises it further."""
        passed = time.monotonic() - self._voted_at
        return (self._believed or 0) + BEHIND_SLOTS + int(passed / FASTEST_SLOT_SECONDS)


def _lower_median(said: Any) -> int:
    ordered: list[int] = sorted(said)
    return ordered[(len(ordered) - 1) // 2]


def _slot(raw: str) -> int:
    return _read_slot.decode(raw).result


def _succeeded(task: asyncio.Task[int]) -> bool:
    error = task.exception()
    if error is not None and not isinstance(error, GpuMarketError):
        raise error
    return error is None
