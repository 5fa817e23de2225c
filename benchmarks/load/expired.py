"""A chain on which many rentals of distinct parties have expired."""

from __future__ import annotations

import asyncio
from pathlib import Path

from solders.keypair import Keypair

from benchmarks.load.rounds import DURATION, begin_round
from benchmarks.load.world import open_world


async def expire(data: Path, rentals: int) -> Keypair:
    """Leaves such a chain in a directory; gives the keeper's wallet on it."""
    async with open_world(data) as (world, _):
        parties = []
        for _ in range(rentals):
            parties.append(world.party())
            await asyncio.sleep(0)
        await begin_round(world, parties, together=True)
        world.warp(DURATION)
        return world.keys.keeper
