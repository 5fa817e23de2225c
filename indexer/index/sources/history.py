"""A program's transactions from any RPC node, oldest first, without gaps.

Nodes list signatures newest first. The whole list back to the frontier is read before the oldest transaction is
fetched, so the output is always contiguous and stopping at any point loses nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from anchor_client.errors import RpcRefused, UnreadableAnswer
from anchor_client.solana.json_rpc import JsonRpc
from anchor_client.solana.json_rpc.batch import MOST_CALLS, call_many
from anchor_client.solana.json_rpc.refusals import SIGNATURE_UNKNOWN
from indexer.errors import TransactionMissing, UnreadableTransaction
from indexer.index.sources import answers
from indexer.index.sources.source import Frontier
from indexer.index.transaction import Transaction, transaction_of
from indexer.metrics import TRANSACTIONS_WAITING

PAGE = 1_000
CHUNK = 200
"""Transactions per batch."""
MAX_VERSION = 1
REQUESTS = 4
"""At once at least, before transactions are asked for together."""

Outcome = Transaction | BaseException

_read_page = answers.reading(list[answers.ListedSignature])
_read_block = answers.reading(answers.BlockAnswer)
_read_transaction = answers.reading(answers.TransactionAnswer | None)


@dataclass(frozen=True, slots=True)
class Listed:
    """A transaction that a node lists; `index` is its place in the block."""

    signature: str
    slot: int
    index: int | None
    failed: bool

    @property
    def place(self) -> tuple[int, int]:
        """Its place in the chain, once it is known."""
        assert self.index is not None
        return self.slot, self.index


class History:
    """Reads one program's transactions at one commitment, as far as its nodes keep them."""

    def __init__(self, rpc: JsonRpc, program: str, *, commitment: str = "finalized", concurrency: int = 16) -> None:
        self._rpc = rpc
        self._program = program
        self._commitment = commitment
        self._batch = min(MOST_CALLS, max(1, concurrency // REQUESTS))
        self._requests = asyncio.Semaphore(max(1, concurrency // self._batch))

    async def read(self, frontier: Frontier | None, until_slot: int) -> AsyncIterator[list[Transaction]]:
        """Everything after `frontier` up to and including `until_slot`, in the chain's order.

        Failed transactions come without their instructions. Raises the node's failures, TransactionMissing or
        UnreadableTransaction; what was handed out until then is complete.
        """
        listed = [entry for entry in await self._list_after(frontier, until_slot) if entry.slot <= until_slot]
        ordered = await self._order(listed)
        if frontier is not None:
            ordered = [entry for entry in ordered if entry.place > (frontier.slot, frontier.index)]
        async for chunk in self.fetch(ordered):
            yield chunk

    async def list_since(self, slot: int, until_slot: int, *, address: str | None = None) -> list[Listed]:
        """Every signature of these slots, in the chain's order; with `address` those that name the account."""
        listed = await self._pages(address or self._program, None, slot, until_slot)
        return await self._order([entry for entry in listed if slot <= entry.slot <= until_slot])

    async def fetch(self, listed: Sequence[Listed]) -> AsyncIterator[list[Transaction]]:
        """The transactions in the order given; the next batch is fetched while one is in use.

        Raises what one transaction could not be had for, after those before it have been handed out.
        """
        parts = [listed[start : start + CHUNK] for start in range(0, len(listed), CHUNK)]
        coming = self._start(parts[0]) if parts else []
        left = len(listed)
        TRANSACTIONS_WAITING.inc(left)
        try:
            for following in [*parts[1:], ()]:
                current = coming
                outcomes = [outcome for batch in await asyncio.gather(*current) for outcome in batch]
                found = _before_failure(outcomes)
                coming = self._start(following) if len(found) == len(outcomes) else []
                if found:
                    yield found
                    left -= len(found)
                    TRANSACTIONS_WAITING.dec(len(found))
                for outcome in outcomes[len(found) : len(found) + 1]:
                    assert isinstance(outcome, BaseException)
                    raise outcome
        finally:
            TRANSACTIONS_WAITING.dec(left)
            for task in coming:
                task.cancel()

    def _start(self, listed: Sequence[Listed]) -> list[asyncio.Task[list[Outcome]]]:
        starts = range(0, len(listed), self._batch)
        return [asyncio.create_task(self._fetch(listed[start : start + self._batch])) for start in starts]

    async def _list_after(self, frontier: Frontier | None, until_slot: int) -> list[Listed]:
        if frontier is None:
            return await self._pages(self._program, None, 0, until_slot)
        try:
            return await self._pages(self._program, frontier.signature, frontier.slot, until_slot)
        except RpcRefused as error:
            if error.code != SIGNATURE_UNKNOWN:
                raise
            # The node has pruned it, or it was on a fork: its slot is the mark then.
            return await self._pages(self._program, None, frontier.slot, until_slot)

    async def _pages(self, address: str, until: str | None, slot: int, context_slot: int) -> list[Listed]:
        """Newest first and each once, back to the signature `until` or to before `slot`."""
        listed: dict[str, Listed] = {}
        before: str | None = None
        full = False
        while True:
            config: dict[str, Any] = {"limit": PAGE, "commitment": self._commitment, "minContextSlot": context_slot}
            if until:
                config["until"] = until
            if before:
                config["before"] = before
            page = await self._page(address, config, behind_full=full)
            full = len(page) == PAGE
            known = len(listed)
            listed |= {entry.signature: _listed(entry) for entry in page if entry.signature not in listed}
            if not page or page[-1].slot < slot:
                return [entry for entry in listed.values() if entry.slot >= slot]
            if len(listed) == known:
                raise UnreadableAnswer("The node lists the same transactions on every page")
            before = page[-1].signature

    async def _page(self, address: str, config: dict[str, Any], *, behind_full: bool) -> list[answers.ListedSignature]:
        """A page of signatures. An empty one behind a full one is believed at a second look, of another node where
        there is one: behind a balancer, a node may not know the transaction that the page begins before.
        """
        asked = ("getSignaturesForAddress", [address, config], _read_page)
        page: list[answers.ListedSignature] = await self._rpc.call(*asked)
        if behind_full and not page:
            page = await self._rpc.look_again(*asked)
        return page

    async def _order(self, newest_first: Sequence[Listed]) -> list[Listed]:
        """Oldest first, each with its place in the block; blocks are read where the node does not list places."""
        ordered: list[Listed] = []
        oldest_first = sorted(newest_first, key=lambda entry: entry.slot)
        for slot, group in groupby(oldest_first, key=lambda entry: entry.slot):
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
        block: answers.BlockAnswer = await self._rpc.call("getBlock", [slot, config], _read_block)
        places = {signature: index for index, signature in enumerate(block.signatures)}
        missing = [entry.signature for entry in entries if entry.signature not in places]
        if missing:
            raise TransactionMissing(missing[0])
        return [replace(entry, index=places[entry.signature]) for entry in entries]

    async def _fetch(self, listed: Sequence[Listed]) -> list[Outcome]:
        """Outcome of each: the transaction, or the reason that it cannot be read."""
        config = {"encoding": "json", "commitment": self._commitment, "maxSupportedTransactionVersion": MAX_VERSION}
        calls = [([entry.signature, config], self._reading(entry)) for entry in listed if not entry.failed]
        async with self._requests:
            found = iter(await call_many(self._rpc, "getTransaction", calls))
        return [_failed(entry) if entry.failed else _named(next(found)) for entry in listed]

    def _reading(self, listed: Listed) -> Callable[[str], Transaction]:
        slot, index = listed.place

        def read(raw: str) -> Transaction:
            answer: answers.TransactionAnswer | None = _read_transaction(raw)
            if answer is None:
                raise TransactionMissing(listed.signature)
            transaction = transaction_of(answer, self._program, index)
            # A node that mixes up its answers must not place one transaction's events at another.
            if (transaction.signature, transaction.slot) != (listed.signature, slot):
                raise UnreadableTransaction(listed.signature, "the node answers with another transaction")
            return transaction

        return read


def _failed(listed: Listed) -> Transaction:
    return Transaction(listed.signature, *listed.place, True, (), {})


def _named(outcome: Outcome) -> Outcome:
    """The reason why a transaction cannot be used, where there is one behind the answer that cannot be read."""
    cause = outcome.__cause__ if isinstance(outcome, UnreadableAnswer) else None
    if isinstance(cause, TransactionMissing | UnreadableTransaction):
        return cause
    return outcome


def _before_failure(outcomes: Sequence[Outcome]) -> list[Transaction]:
    found: list[Transaction] = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            break
        found.append(outcome)
    return found


def _listed(entry: answers.ListedSignature) -> Listed:
    return Listed(
        signature=entry.signature,
        slot=entry.slot,
        index=entry.transaction_index,
        failed=entry.err is not None,
    )
