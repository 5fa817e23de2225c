"""Checks that chain, SQL and API agree to the base unit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.market import Job, Market
from anchor_client.solana.http.client import HttpClient
from local_market.demo.figures import DemoFigures, from_api, from_chain, from_sql
from local_market.demo.ledger import Ledger
from local_market.demo.waiting import polled
from local_market.errors import Disagreement

INDEX_SECONDS = 120.0


class Agreement:
    """Compares ended rentals of one wallet that were paid in one mint."""

    def __init__(self, market: Market, mint: Pubkey, renter: Pubkey, api: HttpClient, engine: Engine) -> None:
        self._market = market
        self._ledger = Ledger(market.reads, mint, renter)
        self._api = api
        self._engine = engine

    async def check(self, jobs: Sequence[Job], started_with: int, balance: int) -> tuple[list[DemoFigures], list[str]]:
        """The chain's figures of each rental, and every difference found."""
        figures = [from_chain(job) for job in jobs]
        differences = [text for job in jobs for text in await self._differences(job)]
        spent = sum(own.cost for own in figures)
        received = sum([await self._compensated(job) for job in jobs])
        if balance != started_with - spent + received:
            differences.append(
                f"wallet: {balance} left of {started_with} after {spent} of costs and {received} of compensations"
            )
        return figures, differences

    async def _compensated(self, job: Job) -> int:
        told = await self._market.jobs.with_history(job.id)
        return sum(received.amount for received in told.compensations or () if received.mint == job.mint)

    async def _differences(self, job: Job) -> list[str]:
        chain = from_chain(await self._market.jobs.with_history(job.id))
        api = await self._indexed(job.id)
        sql = await asyncio.to_thread(from_sql, self._engine, job.id)
        found = [f"chain and API differ in {text}" for text in chain.differences(api)]
        found += [f"chain and SQL differ in {text}" for text in chain.differences(sql)]
        found += [f"the client's own view differs in {text}" for text in from_chain(job).differences(chain)]
        if not chain.balances:
            found.append("deposits do not match payouts")
        for signature in dict.fromkeys(event.signature for event in await self._market.jobs.events(job.id)):
            found += await self._ledger.differences(signature)
        return [f"{job.id}: {text}" for text in found]

    async def _indexed(self, job: Pubkey) -> DemoFigures:
        """The API's figures, once the rental's end is final and indexed. Disagreement if that takes too long."""
        late = Disagreement(f"After {INDEX_SECONDS:.0f} s the API does not show that job {job} has ended")
        return await polled(partial(from_api, self._api, job), INDEX_SECONDS, late)
