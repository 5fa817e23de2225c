"""Times until /health reports a failing node, and until the index has caught up after it recovers.

docs/assurance.md has the table; `-s` prints it. Invariant IDX-1.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Engine

from indexer.index.proof.maintenance import verify
from indexer.settings import Commitment, IndexerSettings
from indexer.store.database import migrate, open_database
from localnet.server import LocalCluster
from tests.indexer.proof.faulty_node import Fault, FaultyNode, faulty
from tests.indexer.proof.test_faults import tables
from tests.indexer.service import indexed, until, until_status
from tests.markets.recorded import Market
from tests.program.harness.flows import running

LASTS_SECONDS = 12.0
TOLD_SECONDS, BACK_SECONDS = 5.0, 10.0
SLOWER = 3.0
"""Factor of what is asserted: tests share their machine."""
AHEAD_SLOTS = 1_200
"""For which the chain has run before: a node can be 1,000 slots behind."""
POLL_SECONDS = 2.0
FOREVER = 2**40
IN_CI = (Fault.GARBAGE,)
CHECKS = ("supply_check", "reconciliation", "gap_attempt")


async def error_of(api: httpx.AsyncClient) -> str | None:
    found: str | None = (await api.get("/health")).json()["last_error"]
    return found


async def seconds_of(
    api: httpx.AsyncClient, node: FaultyNode, market: Market, fault: Fault
) -> tuple[float, float, str]:
    """Seconds until the fault is told, and from its end until what happened meanwhile is there; and what is told."""
    rental = running(market, market.renter(), listing=market.list_machine())
    await until_status(api, str(rental), "running")
    began = time.monotonic()
    await node.begin(fault)
    market.act(market.stop_rental(rental))

    async def is_told() -> bool:
        return await error_of(api) is not None

    await until(is_told)
    told = time.monotonic() - began
    said = await error_of(api)
    await asyncio.sleep(max(0.0, LASTS_SECONDS - told))
    assert (await api.get(f"/api/jobs/{rental}")).json()["status"] == "running", "it could not know"
    await node.end()
    ended = time.monotonic()
    await until_status(api, str(rental), "completed")
    back = time.monotonic() - ended

    async def is_well() -> bool:
        return await error_of(api) is None

    await until(is_well)
    return told, back, str(said)


@pytest.mark.parametrize(
    "fault", [each if each in IN_CI else pytest.param(each, marks=pytest.mark.faults) for each in Fault]
)
async def test_node__fails_for_a_while__is_told_at_once_and_caught_up_with_soon(
    local: LocalCluster, live: Market, tmp_path: Path, fault: Fault
) -> None:
    url = f"sqlite:///{tmp_path / 'index.db'}"
    for _ in range(AHEAD_SLOTS):
        local.cluster.expire_blockhash()
    async with LocalCluster(slot_ms=100) as other, faulty(local.http_url, local.ws_url) as node:
        node.elsewhere = other.http_url
        async with indexed(node, url) as api:
            told, back, said = await seconds_of(api, node, live, fault)
        assert node.hits >= 1 or fault is Fault.DEAD
    report(fault, told, back, said)
    await equal(local, url, tmp_path)


@pytest.mark.faults
async def test_node__forgets_its_history__is_told_by_the_gap_and_caught_up_with(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'index.db'}"
    async with faulty(local.http_url, local.ws_url) as node, indexed(node, url) as api:
        rental = running(live, live.renter(), listing=live.list_machine())
        await until_status(api, str(rental), "running")
        node.kept_from = FOREVER
        live.pass_time(240)
        live.act(live.settle_rental(rental))
        looked_at = (await api.get("/health")).json()["complete_slot"]

        async def has_looked() -> bool:
            return bool((await api.get("/health")).json()["complete_slot"] > looked_at)

        await until(has_looked)
        node.kept_from = local.cluster.slot
        live.act(live.stop_rental(rental))
        began = time.monotonic()

        async def has_gap() -> bool:
            return bool((await api.get("/health")).json()["gaps"])

        await until(has_gap)
        told = time.monotonic() - began
        await asyncio.sleep(LASTS_SECONDS)
        node.kept_from = 0
        ended = time.monotonic()

        async def is_whole() -> bool:
            return bool((await api.get("/health")).json()["gaps"] == 0)

        await until(is_whole)
        back = time.monotonic() - ended
    report("pruned: forgets what the index has not read", told, back)
    await equal(local, url, tmp_path)


@pytest.mark.faults
async def test_node__on_a_fork__is_caught_up_with_once_it_is_back(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    """It has nothing to tell: while it lasts a fork is the chain."""
    url = f"sqlite:///{tmp_path / 'index.db'}"
    async with (
        faulty(local.http_url, local.ws_url) as node,
        indexed(node, url, commitment=Commitment.CONFIRMED, poll_interval=POLL_SECONDS) as api,
    ):
        rental = running(live, live.renter(), listing=live.list_machine())
        await until_status(api, str(rental), "running")
        node.fork = range(local.cluster.slot + 1, FOREVER)
        await until_slot(local, node.fork.start)
        live.act(live.stop_rental(rental))
        node.fork = range(node.fork.start, local.cluster.slot + 1)
        await until_slot(local, node.fork.stop)
        later = running(live, live.renter(), listing=live.list_machine())
        await until_status(api, str(later), "running")
        await asyncio.sleep(LASTS_SECONDS)
        assert (await api.get(f"/api/jobs/{rental}")).json()["status"] == "running", "it could not know"
        node.fork = range(0)
        ended = time.monotonic()
        await until_status(api, str(rental), "completed")
        back = time.monotonic() - ended

        async def is_settled() -> bool:
            return bool((await api.get("/health")).json()["gaps"] == 0)

        await until(is_settled)
    report("forked", None, back)
    await equal(local, url, tmp_path, but="cursor")


def report(fault: str, told: float | None, back: float, said: str = "") -> None:
    """A row of the table; more than thrice as slow as it should be is a failure."""
    row(fault, told, back, said)
    assert told is None or told < SLOWER * TOLD_SECONDS
    assert back < SLOWER * BACK_SECONDS


def row(fault: str, told: float | None, back: float, said: str = "") -> None:
    """A row of the table."""
    shown = "-" if told is None else f"{told:.1f}"
    print(f"\n| {fault} | {shown} | {back:.1f} | {said}")


async def until_slot(local: LocalCluster, slot: int) -> None:
    """Waits for a slot."""

    async def is_there() -> bool:
        return local.cluster.slot >= slot

    await until(is_there)


async def equal(local: LocalCluster, url: str, folder: Path, but: str = "") -> None:
    """Asserts that an index has the tables, but one, of one that met no fault, and agrees with the chain."""
    found, reference = [await looked(local, each) for each in (url, f"sqlite:///{folder / 'reference.db'}")]
    assert found | {but: None} == reference | {but: None}


async def looked(local: LocalCluster, url: str) -> dict[str, object]:
    """The tables of an index that is complete and agrees with the chain."""
    engine: Engine = open_database(url)
    migrate(engine)
    settings = IndexerSettings(rpc_url=local.http_url, ws_url=local.ws_url, database_url=url)
    assert (await verify(settings, engine)).problems == []
    found = {name: rows for name, rows in tables(engine).items() if name not in CHECKS}
    engine.dispose()
    return found
