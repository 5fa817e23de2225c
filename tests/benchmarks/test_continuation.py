"""Rounds that are continued are rounds of the same market."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import pytest

from benchmarks.load.continuation import RoundsDiffer, continued
from benchmarks.load.rounds import begin_round, end_round
from benchmarks.load.world import open_world
from indexer.index.ingest import ingest
from indexer.index.transaction import Transaction, transaction_from_json
from indexer.store.database import migrate, open_database

PARTIES = 3
RECORDED = 3
CONTINUED = 4


async def recorded() -> list[list[Transaction]]:
    async with open_world() as (world, recording):
        parties = [world.party() for _ in range(PARTIES)]
        rounds = []
        for _ in range(RECORDED):
            await begin_round(world, parties)
            await end_round(world, parties)
            rounds.append([transaction_from_json(answer) for answer in recording.take()])
        return rounds


async def test_continued__recorded_rounds__go_on_without_a_gap(tmp_path: Path) -> None:
    rounds = await recorded()
    engine = open_database(f"sqlite:///{tmp_path / 'index.db'}")
    try:
        migrate(engine)
        counts = []
        for transactions in (*rounds, *islice(continued(*rounds[-2:]), CONTINUED)):
            done = ingest(transactions, engine)
            assert (done.gaps, done.dead_letters, done.late) == ({}, 0, 0)
            counts.append(done.events)
    finally:
        engine.dispose()
    assert counts[RECORDED:] == [counts[RECORDED - 1]] * CONTINUED


async def test_continued__last_round_took_longer_than_the_one_before__rounds_stay_in_order() -> None:
    _, before, last = await recorded()
    slow = [replace(each, slot=last[0].slot + 1_000 * place) for place, each in enumerate(last)]
    going_on = [each.slot for each in chain(slow, *islice(continued(before, slow), CONTINUED))]
    assert going_on == sorted(going_on)


async def test_continued__rounds_of_other_lengths__are_refused() -> None:
    first, second, _ = await recorded()
    with pytest.raises(RoundsDiffer):
        next(continued(first, second))
