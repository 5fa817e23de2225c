"""A chain on which many rentals of distinct parties have expired."""

from __future__ import annotations

from pathlib import Path

from solders.keypair import Keypair

from benchmarks.load.rounds import DURATION, begin_round, parties_of
from benchmarks.load.world import open_world


async def expire(data: Path, rentals: int) -> Keypair:
    """Leaves such a chain in a directory; gives the keeper's wallet on it."""
    async with open_world(data) as (world, _):
        parties = await parties_of(world, rentals)
        await begin_round(world, parties, together=True)
        world.warp(DURATION)
        return world.keys.keeper
