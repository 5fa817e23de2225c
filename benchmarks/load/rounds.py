"""Rounds of rentals: in each, every party rents its machine once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import cycle

from solders.instruction import Instruction

from tests.markets.parties import CONNECTION, Party, World

DURATION = 900
"""Seconds, all of which a host may be silent: nobody's heartbeat is missed while time jumps."""
RATING = 5


async def parties_of(world: World, count: int) -> list[Party]:
    """So many parties; others have their turn between two."""
    parties = []
    for _ in range(count):
        parties.append(world.party())
        await asyncio.sleep(0)
    return parties


async def begin_round(world: World, parties: Sequence[Party], *, together: bool = False) -> None:
    """Every party's machine is heard from, rented and started, in one transaction an instruction or,
    `together`, with as many in each as can be."""
    world.warp(1)
    world.post_price()
    shards = cycle(range(world.tokens.market_token.terms.shards))
    for party, shard in zip(parties, shards, strict=False):
        world.beat(party)
        rental = world.open(party, duration=DURATION, shard=shard)
        accept = world.acts.accept_rental(rental, CONNECTION)
        start = world.acts.start_rental(rental)
        _land(world, accept, start, together=together)
        await asyncio.sleep(0)


async def end_round(world: World, parties: Sequence[Party], *, together: bool = False) -> None:
    """Half of the time passes and is settled, then the rest; each rental is rated and finalized."""
    world.warp(DURATION // 2)
    for party in parties:
        _land(world, world.heartbeat(party), world.acts.settle_rental(party.rentals[-1]), together=together)
        await asyncio.sleep(0)
    world.warp(DURATION - DURATION // 2)
    for party in parties:
        rental = party.rentals[-1]
        rate = world.acts.rate_rental(rental, RATING)
        finalize = world.acts.finalize_rental(rental, caller=party.renter.pubkey())
        _land(world, rate, finalize, together=together)
        await asyncio.sleep(0)


def _land(world: World, *acts: Instruction, together: bool) -> None:
    for group in [acts] if together else [[act] for act in acts]:
        world.acts.act(*group)
