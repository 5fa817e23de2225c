"""Maintenance by hand: an operator compares an index with the chain, or reads a part of the chain again."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, Engine, select

from anchor_client.service.pacing import holds_within
from indexer.errors import IndexerError
from indexer.index.follow import Follower, Reread, Told
from indexer.index.proof.evidence import evidence_of
from indexer.index.proof.reconcile import HELD
from indexer.index.proof.supply import MintSupply, supplies
from indexer.index.sources.head import read_head
from indexer.index.sources.node import node_of
from indexer.models import Vault
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.threads import in_thread

PATIENCE_SECONDS = 120.0
"""Longest that a comparison waits for a node which falls behind."""
LOOK_SECONDS = 0.4
"""About a slot: what differs is looked at again at a later one."""


class IndexEmpty(IndexerError):
    """There is nothing in the index that a part of the chain could be missing from."""

    remedy = "start the indexer: it reads the whole history"


class NotCompared(IndexerError):
    """The node did not give every vault at a slot that the index has got to."""

    remedy = "try again, or use another node (--rpc)"


@dataclass(frozen=True, slots=True)
class VaultTotals:
    """A payment mint's vaults by the index, in base units: what they owe or keep, and what they have burned."""

    mint: str
    vaults: int
    held: int
    burned: int


@dataclass(frozen=True, slots=True)
class Verification:
    """Comparison of the index with the chain up to `slot`."""

    slot: int
    mints: list[VaultTotals]
    supplies: list[MintSupply]
    problems: list[str]


async def verify(settings: IndexerSettings, engine: Engine) -> Verification:
    """Brings the index up to date, and compares vaults and supply with the chain at slots that it is complete up to.

    What differs must do so at two slots. Raises NotCompared after PATIENCE_SECONDS, or the node's failures.
    """
    status = Status()
    async with node_of(settings) as rpc:
        follower = Follower(settings, engine, rpc, status)

        async def compared() -> bool:
            await follower.catch_up()
            return follower.is_compared

        if not await holds_within(PATIENCE_SECONDS, compared, every=LOOK_SECONDS):
            raise NotCompared("the node did not give every vault at a slot that the index has got to")
    return await in_thread(_verification, engine, settings.program_id, status.complete_slot)


async def backfill(
    settings: IndexerSettings, engine: Engine, since: int, until: int | None, *, told: Told
) -> tuple[int, Reread]:
    """Takes in what the index lacks of slots `since` to `until`, as far as it has read; gives the last slot as well.

    The indexer reads newer ones itself. Raises IndexEmpty, or the node's failures.
    """
    async with node_of(settings) as rpc:
        follower = Follower(settings, engine, rpc, Status())
        frontier = await in_thread(follower.frontier)
        if frontier is None:
            raise IndexEmpty("the index is empty")
        head = await read_head(rpc, settings.commitment)
        last = min(frontier.slot, head.slot, frontier.slot if until is None else until)
        done = await follower.read_again(since, last, told)
        await follower.rebuild_if_stale()
        return last, done


def _verification(engine: Engine, program: str, slot: int) -> Verification:
    with engine.connect() as connection:
        problems = evidence_of(connection, program).problems
        return Verification(slot, _totals(connection), supplies(connection), problems)


def _totals(connection: Connection) -> list[VaultTotals]:
    """Added up here, since SQLite cannot add 64 bits."""
    wanted = select(Vault.c.mint, Vault.c.total_burned, *(Vault.c[name] for name in HELD)).order_by(Vault.c.mint)
    totals: dict[str, VaultTotals] = {}
    for mint, burned, *held in connection.execute(wanted):
        before = totals.get(mint, VaultTotals(mint, 0, 0, 0))
        totals[mint] = VaultTotals(mint, before.vaults + 1, before.held + sum(held), before.burned + burned)
    return list(totals.values())
