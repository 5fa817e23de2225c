"""Rounds of rentals: in each, every party of a population rents its machine once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import cycle

from solders.instruction import Instruction
from solders.keypair import Keypair

from benchmarks.load.lives import Life
from benchmarks.load.population import Population

DURATION = 900
"""Seconds, all of which a host may be silent: nobody's heartbeat is missed while time jumps."""
RATING = 5

Act = tuple[Keypair, Instruction]
"""An instruction and who signs it."""


async def begin_round(population: Population, *, together: bool = False) -> list[Life]:
    """Every party's machine is heard from, rented and started; in one transaction a rental, or one an instruction."""
    population.post_price()
    shards = cycle(range(population.tokens.market_token.terms.shards))
    lives = [
        Life.begin(party, population.mint, shard) for party, shard in zip(population.parties, shards, strict=False)
    ]
    for life in lives:
        renter, host = life.party.renter, life.party.host
        acts = [(host, life.beat()), (renter, life.open(DURATION)), (host, life.accept()), (host, life.start())]
        _land(population, acts, together=together)
        await asyncio.sleep(0)
    return lives


async def end_round(population: Population, lives: Sequence[Life], *, together: bool = False) -> None:
    """Half of the time passes and is settled, then the rest; each rental is rated and finalized."""
    population.cluster.warp(DURATION // 2)
    for life in lives:
        host = life.party.host
        _land(population, [(host, life.beat()), (host, life.settle())], together=together)
        await asyncio.sleep(0)
    population.cluster.warp(DURATION - DURATION // 2)
    for life in lives:
        renter = life.party.renter
        _land(population, [(renter, life.rate(RATING)), (renter, life.finalize())], together=together)
        await asyncio.sleep(0)


def _land(population: Population, acts: Sequence[Act], *, together: bool) -> None:
    if together:
        signers = list(dict.fromkeys(signer.pubkey() for signer, _ in acts))
        by_key = {signer.pubkey(): signer for signer, _ in acts}
        population.run([by_key[key] for key in signers], [act for _, act in acts])
        return
    for signer, act in acts:
        population.run([signer], [act])
