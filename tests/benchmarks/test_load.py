"""The load that benchmarks work with is made by the program, and an index of it is complete."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from benchmarks.load.population import Population, TransactionRefused, open_population
from benchmarks.load.rounds import begin_round, end_round
from indexer.database import migrate, open_database
from indexer.ingest import ingest
from indexer.models import Rental
from indexer.transaction import transaction_from_json


async def populate(population: Population) -> None:
    for _ in range(3):
        population.add_party()


@pytest.mark.parametrize("together", [False, True])
async def test_rounds__two_and_the_beginning_of_a_third__are_indexed_whole(tmp_path: Path, together: bool) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'index.db'}")
    migrate(engine)
    async with open_population() as population:
        await populate(population)
        for _ in range(2):
            await end_round(population, await begin_round(population, together=together), together=together)
        await begin_round(population, together=together)
        ingested = ingest(map(transaction_from_json, population.recording.take()), engine)
    with engine.connect() as connection:
        states = sorted(connection.scalars(select(Rental.c.status)))
        renters = set(connection.scalars(select(Rental.c.renter)))
    engine.dispose()
    assert (ingested.gaps, ingested.dead_letters, ingested.late) == ({}, 0, 0)
    assert states == ["completed"] * 6 + ["running"] * 3
    assert len(renters) == 3


async def test_take__twice__gives_each_transaction_once() -> None:
    async with open_population() as population:
        assert population.recording.take()
        assert population.recording.take() == []
        population.post_price()
        assert len(population.recording.take()) == 1


async def test_run__refused_by_the_program__says_why() -> None:
    async with open_population() as population:
        await populate(population)
        [life, *_] = await begin_round(population)
        with pytest.raises(TransactionRefused, match="InstructionError"):
            population.run([life.party.renter], [life.finalize()])
