"""A program's transactions from any RPC node, oldest first, without gaps.

Nodes list signatures newest first. The whole list back to the frontier is read before the oldest transaction is
fetched, so the output is always contiguous and stopping at any point loses nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from indexer.errors import RpcFailed, TransactionMissing
from indexer.sources.json_rpc import JsonRpc
from indexer.transaction import Transaction, transaction_from_json

PAGE = 1_000
CHUNK = 200
"""Transactions per batch."""
SIGNATURE_UNKNOWN = -32020
MAX_VERSION = 1


@dataclass(frozen=True, slots=True)
class Frontier:
    """The last transaction read."""

    slot: int
    index: int
    signature: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A transaction that a node lists; `index` is its place in the block."""

    signature: str
    slot: int
    index: int | None
    failed: bool
    block_time: int

    @property
    def place(self) -> tuple[int, int]:
        """Its place in the chain, once it is known."""
        assert self.index is not None
        return self.slot, self.index


class RpcSource:
    """Reads one program's transactions at one commitment."""

    def __init__(self, rpc: JsonRpc, program: str, *, commitment: str = "finalized", concurrency: int = 16) -> None:
        self._rpc = rpc
        self._program = program
        self._commitment = commitment
        self._slots = asyncio.Semaphore(concurrency)

    async def read(self, frontier: Frontier | None, until_slot: int) -> AsyncIterator[list[Transaction]]:
        """Everything after `frontier` up to and including `until_slot`, in the chain's order.

        Failed transactions come without their instructions. Raises RpcFailed, TransactionMissing or
        UnreadableTransaction; what was handed out until then is complete.
        """
        listed = [entry for entry in await self._list_after(frontier, until_slot) if entry.slot <= until_slot]
        ordered = await self._order(listed)
        if frontier is not None:
            ordered = [entry for entry in ordered if entry.place > (frontier.slot, frontier.index)]
        async for chunk in self.fetch(ordered):
            yield chunk

    async def list_since(self, slot: int, until_slot: int) -> list[Listed]:
        """Every signature of these slots, in the chain's order."""
        listed = await self._pages(None, slot, until_slot)
        return await self._order([entry for entry in listed if slot <= entry.slot <= until_slot])

    async def fetch(self, listed: Sequence[Listed]) -> AsyncIterator[list[Transaction]]:
        """The transactions in the order given; the next batch is fetched while one is in use."""
        parts = [listed[start : start + CHUNK] for start in range(0, len(listed), CHUNK)]
        coming = asyncio.create_task(self._fetch_all(parts[0])) if parts else None
        try:
            for following in [*parts[1:], None]:
                if coming is None:
                    return
                chunk = await coming
                coming = None if following is None else asyncio.create_task(self._fetch_all(following))
                yield chunk
        finally:
            if coming is not None:
                coming.cancel()

    async def _list_after(self, frontier: Frontier | None, until_slot: int) -> list[Listed]:
        if frontier is None:
            return await self._pages(None, 0, until_slot)
        try:
            return await self._pages(frontier.signature, frontier.slot, until_slot)
        except RpcFailed as error:
            if error.code != SIGNATURE_UNKNOWN:
                raise
            return await self._pages(None, frontier.slot, until_slot)

    async def _pages(self, until: str | None, slot: int, context_slot: int) -> list[Listed]:
        """Newest first, back to the signature `until` or to before `slot`."""
        listed: list[Listed] = []
        before: str | None = None
        while True:
            config: dict[str, Any] = {"limit": PAGE, "commitment": self._commitment, "minContextSlot": context_slot}
            config |= {"until": until} if until else {}
            config |= {"before": before} if before else {}
            page = await self._rpc.call("getSignaturesForAddress", self._program, config)
            listed += [_listed(entry) for entry in page]
            if not page or page[-1]["slot"] < slot:
                return [entry for entry in listed if entry.slot >= slot]
            before = page[-1]["signature"]

    async def _order(self, newest_first: Sequence[Listed]) -> list[Listed]:
        """Oldest first, each with its place in the block; blocks are read where the node does not list places."""
        ordered: list[Listed] = []
        for slot, group in groupby(reversed(newest_first), key=lambda entry: entry.slot):
            entries = list(group)
            if any(entry.index is None for entry in entries):
                entries = await self._place(slot, entries)
            ordered += sorted(entries, key=lambda entry: entry.place)
        return ordered

    async def _place(self, slot: int, entries: Sequence[Listed]) -> list[Listed]:
        config = {
            "transactionDetails": "signatures",
            "rewards": False,
            "commitment": self._commitment,
            "maxSupportedTransactionVersion": MAX_VERSION,
        }
        block = await self._rpc.call("getBlock", slot, config)
        if block is None:
            raise RpcFailed("getBlock", f"the node has no block {slot}")
        places = {signature: index for index, signature in enumerate(block["signatures"])}
        missing = [entry.signature for entry in entries if entry.signature not in places]
        if missing:
            raise TransactionMissing(missing[0])
        return [replace(entry, index=places[entry.signature]) for entry in entries]

    async def _fetch_all(self, listed: Sequence[Listed]) -> list[Transaction]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._fetch(entry)) for entry in listed]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors
        return [task.result() for task in tasks]

    async def _fetch(self, listed: Listed) -> Transaction:
        slot, index = listed.place
        if listed.failed:
            return Transaction(listed.signature, slot, index, listed.block_time, True, (), {})
        config = {"encoding": "json", "commitment": self._commitment, "maxSupportedTransactionVersion": MAX_VERSION}
        async with self._slots:
            result = await self._rpc.call("getTransaction", listed.signature, config)
        if result is None:
            raise TransactionMissing(listed.signature)
        return transaction_from_json(result, index)


def _listed(entry: dict[str, Any]) -> Listed:
    return Listed(
        signature=entry["signature"],
        slot=entry["slot"],
        index=entry.get("transactionIndex"),
        failed=entry["err"] is not None,
        block_time=entry["blockTime"] or 0,
    )
