"""The chain stands still for minutes: every service keeps running, nobody is punished, nothing is lost."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.errors import OutcomeUnknown, TransactionExpired
from anchor_client.market import JobState, Market
from anchor_client.market.rental.wanted import RentalWanted
from benchmarks.load.fleet import Fleet, empty_cluster, fleet
from benchmarks.load.process import GPU_MARKET
from tests.indexer.service import until
from tests.markets.cluster import Cluster
from tests.markets.marketplace import MIN_DURATION, SOL, Marketplace, one_host

SLOT_MS: Final = 200
PAUSE_SECONDS: Final = 45
"""Longer than a blockhash lives, and than any service waits for an answer."""
CHAIN_SECONDS: Final = 300
"""By how much the cluster's clock is ahead once blocks go on."""
HOUR: Final = 3_600


async def rent(place: Marketplace, renter: Market, listing: Pubkey, duration: int) -> Pubkey:
    """A running rental."""
    order = bytes(24) + duration.to_bytes(8, "little")
    job = await renter.rental.open(RentalWanted(duration=duration, pay="GPUM", listing=listing, order_hash=order))
    await place.run(job.id)
    return job.id


async def extend(renter: Market, job: Pubkey) -> None:
    """Extends the rental by an hour: again where the transaction could no longer land."""
    while (await renter.jobs.get(job)).duration == HOUR:
        with suppress(TransactionExpired, OutcomeUnknown):
            await renter.rental.extend(job, HOUR)


def alive(services: Fleet) -> bool:
    """True where every service runs, as the process that was started."""
    servers = [service.server for service in services.services.values()]
    return all(server is not None and server.process.returncode is None for server in servers)


async def says(services: Fleet, *arguments: str) -> Any:
    """Runs a command; returns the JSON document that it prints."""
    command = (sys.executable, *GPU_MARKET, *arguments, "--json")
    process = await asyncio.create_subprocess_exec(*command, env=dict(services.environment), stdout=-1)
    out, _ = await process.communicate()
    assert process.returncode == 0, out
    return json.loads(out)


async def status(url: str, job: Pubkey) -> str:
    """A job's, as a replica of the API tells it."""
    async with httpx.AsyncClient(base_url=url, timeout=30) as api:
        answer = await api.get(f"/api/jobs/{job}")
    return str(answer.json()["status"]) if answer.is_success else str(answer.status_code)


@pytest.mark.exhaustive
async def test_services__chain_stands_still_for_minutes__go_on_and_punish_nobody(tmp_path: Path) -> None:
    keys, keeper = one_host(), Keypair()
    async with empty_cluster(keys.authority, SLOT_MS) as server:
        place = Marketplace(Cluster(server.ready["rpc"], server.ready["ws"]), keys)
        await place.seed()
        await place.airdrop(keeper, lamports=10 * SOL)
        database = f"sqlite:///{tmp_path / 'index.db'}"
        async with (
            fleet(server, database, keeper, tmp_path, place.oracle) as services,
            place.market(await place.renter()) as renter,
        ):
            due = await rent(place, renter, place.listings[0], MIN_DURATION)
            held = await rent(place, renter, place.listings[1], HOUR)

            async def shows(job: Pubkey, expected: JobState) -> bool:
                return {await status(url, job) for url in services.apis} == {expected.value}

            await until(partial(shows, held, JobState.RUNNING), 60)
            await place.cluster.call("cheat_pause")
            extending = asyncio.create_task(extend(renter, held))
            await asyncio.sleep(PAUSE_SECONDS)
            assert alive(services) and await shows(held, JobState.RUNNING), "what is known is still answered"
            await place.cluster.call("cheat_resume")
            await place.cluster.warp(CHAIN_SECONDS)

            await until(partial(shows, due, JobState.COMPLETED), 60)
            await extending
            job = await renter.jobs.get(held)
            assert job.status is JobState.RUNNING and job.duration == 2 * HOUR, "bought once"
            await until(partial(shows, held, JobState.RUNNING), 60)
            listing = await renter.reads.listing(place.listings[1])
            assert listing.marked_at == 0, "a pause is no silence"
            assert alive(services) and {service.starts for service in services.services.values()} == {1}
            assert (await says(services, "indexer", "verify"))["agrees"]
            assert await says(services, "indexer", "gaps") == []
