"""What an operator does to an index by hand: compare it with the chain, and read a part of the chain again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, func, select
from tenacity import AsyncRetrying, retry_if_result, stop_after_delay, wait_fixed

from anchor_client.json_rpc import JsonRpc
from indexer.errors import IndexerError
from indexer.follow import Follower
from indexer.gaps import known_gaps
from indexer.ingest import Ingested, ingest
from indexer.main import RETRIES, TIMEOUT_SECONDS
from indexer.models import DeadLetter, Reconciliation, Vault
from indexer.rebuild import is_stale, rebuild
from indexer.rescan import unknown_of
from indexer.settings import Settings
from indexer.sources.head import read_head
from indexer.sources.rpc import RpcSource
from indexer.status import Status

PATIENCE_SECONDS = 120.0
"""Longest that a comparison waits for a node which falls behind."""
LOOK_SECONDS = 0.4
"""About a slot: what differs is looked at again at a later one."""
NAMED_GAPS = 20
HELD = ("liabilities", "fees_due", "stakers_due", "subsidy_pool")
"""What a vault keeps; added up here, since SQL has 64 bits as text."""

Told = Callable[[str], object]


class IndexEmpty(IndexerError):
    """There is nothing in the index that a part of the chain could be missing from."""

    remedy = "start the indexer: it reads the whole history"


class NotCompared(IndexerError):
    """The node did not give every vault at a slot that the index has got to."""

    remedy = "try again, or use another node (--rpc)"


@dataclass(frozen=True, slots=True)
class MintTotals:
    """A payment mint's vaults by the index, in base units: what they owe or keep, and what they have burned."""

    mint: str
    vaults: int
    held: int
    burned: int


@dataclass(frozen=True, slots=True)
class Verification:
    """How the index compares with the chain up to `slot`."""

    slot: int
    mints: list[MintTotals]
    problems: list[str]


@dataclass(frozen=True, slots=True)
class Backfilled:
    """What reading slots again took in, up to slot `until`."""

    until: int
    transactions: int
    events: int


async def verify(settings: Settings, engine: Engine) -> Verification:
    """Brings the index up to date, and compares every vault with the chain at a slot that it is complete up to.

    What differs must do so at two slots. Raises NotCompared after PATIENCE_SECONDS, or the node's failures.
    """
    status = Status()
    async with _connected(settings) as rpc:
        follower = Follower(settings, engine, rpc, status)
        looks = AsyncRetrying(
            retry=retry_if_result(lambda is_compared: not is_compared),
            wait=wait_fixed(LOOK_SECONDS),
            stop=stop_after_delay(PATIENCE_SECONDS),
            retry_error_callback=lambda _: False,
        )

        async def compared() -> bool:
            await follower.catch_up()
            return follower.is_compared

        if not await looks(compared):
            raise NotCompared("the node did not give every vault at a slot that the index has got to")
    return await asyncio.to_thread(_verification, engine, status.complete_slot)


async def backfill(settings: Settings, engine: Engine, since: int, until: int | None, *, told: Told) -> Backfilled:
    """Takes in what the index lacks of slots `since` to `until`, as far as it has read; then rebuilds if it must.

    What is newer the indexer reads by itself. Raises IndexEmpty, or the node's failures.
    """
    async with _connected(settings) as rpc:
        frontier = Follower(settings, engine, rpc, Status()).frontier()
        if frontier is None:
            raise IndexEmpty("the index is empty")
        head = await read_head(rpc, settings.commitment)
        last = min(frontier.slot, head.slot, frontier.slot if until is None else until)
        source = RpcSource(rpc, settings.program_id, commitment=settings.commitment, concurrency=settings.concurrency)
        listed = await source.list_since(since, last)
        missing = await asyncio.to_thread(unknown_of, listed, engine)
        told(f"{len(listed):,} transactions, {len(missing):,} of them without events in the index")
        total, read = Ingested(), 0
        async for transactions in source.fetch(missing):
            took = await asyncio.to_thread(ingest, transactions, engine, program=settings.program_id)
            total.events += took.events
            read += len(transactions)
            told(f"{read:,} of {len(missing):,}")
    if await asyncio.to_thread(is_stale, engine):
        await asyncio.to_thread(rebuild, engine)
    return Backfilled(last, read, total.events)


@asynccontextmanager
async def _connected(settings: Settings) -> AsyncIterator[JsonRpc]:
    async with JsonRpc(settings.rpc_url, timeout=TIMEOUT_SECONDS, retries=RETRIES) as rpc:
        yield rpc


def _verification(engine: Engine, slot: int) -> Verification:
    with engine.connect() as connection:
        return Verification(slot, _totals(connection), _problems(connection))


def _totals(connection: Connection) -> list[MintTotals]:
    wanted = select(Vault.c.mint, Vault.c.total_burned, *(Vault.c[name] for name in HELD)).order_by(Vault.c.mint)
    totals: dict[str, MintTotals] = {}
    for mint, burned, *held in connection.execute(wanted):
        before = totals.get(mint, MintTotals(mint, 0, 0, 0))
        totals[mint] = MintTotals(mint, before.vaults + 1, before.held + sum(held), before.burned + burned)
    return list(totals.values())


def _problems(connection: Connection) -> list[str]:
    differing = select(Reconciliation.c.vault, Reconciliation.c.difference).where(
        Reconciliation.c.difference.is_not(None)
    )
    problems = [f"vault {vault}: {difference}" for vault, difference in connection.execute(differing)]
    problems += [f"missing: {gap}" for gap in known_gaps(connection, NAMED_GAPS)]
    letters = connection.execute(select(func.count()).select_from(DeadLetter.table)).scalar_one()
    if letters:
        problems.append(f"{letters} events could not be read: see `gpu-market indexer dead-letters`")
    return problems
