"""The load that benchmarks work with is made by the program, and an index of it is complete."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from anchor_client.generated.errors import RentalNotExpired
from anchor_client.generated.program import PROGRAM_ID
from benchmarks.load.reads import Reads
from benchmarks.load.rounds import begin_round, end_round
from benchmarks.load.world import open_world
from indexer.index.ingest import ingest
from indexer.index.sources.grpc.blocks import block_of
from indexer.index.transaction import transaction_from_json
from indexer.models import Rental
from indexer.store.database import migrate, open_database
from tests.indexer.databases import sqlite


@pytest.mark.parametrize("together", [False, True])
async def test_rounds__two_and_the_beginning_of_a_third__are_indexed_whole(tmp_path: Path, together: bool) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'index.db'}")
    migrate(engine)
    async with open_world() as (world, recording):
        parties = [world.party() for _ in range(3)]
        for _ in range(2):
            await begin_round(world, parties, together=together)
            await end_round(world, parties, together=together)
        await begin_round(world, parties, together=together)
        ingested = ingest(map(transaction_from_json, recording.take()), engine)
    with engine.connect() as connection:
        states = sorted(connection.scalars(select(Rental.c.status)))
        renters = set(connection.scalars(select(Rental.c.renter)))
    engine.dispose()
    assert (ingested.gaps, ingested.dead_letters, ingested.late) == ({}, 0, 0)
    assert states == ["completed"] * 6 + ["running"] * 3
    assert len(renters) == 3


async def test_take__twice__gives_each_transaction_once() -> None:
    async with open_world() as (world, recording):
        assert recording.take()
        assert recording.take() == []
        world.post_price()
        assert len(recording.take()) == 1


async def test_take_both__lives_of_rentals__are_the_same_in_both_forms() -> None:
    async with open_world() as (world, recording):
        party = world.party()
        await begin_round(world, [party])
        answers, updates = recording.take_both()
    streamed = [each for update in updates for each in block_of(update.block, str(PROGRAM_ID)).transactions]
    assert streamed == list(map(transaction_from_json, answers))


async def test_run__refused_by_the_program__says_why() -> None:
    async with open_world() as (world, _):
        party = world.party()
        await begin_round(world, [party])
        finalize = world.acts.finalize_rental(party.rentals[-1], caller=party.renter.pubkey())
        with pytest.raises(AssertionError, match=f"custom program error: {RentalNotExpired.code:#x}"):
            world.run(party.renter, [finalize])


def test_reads__act_that_gives_up__is_counted_and_tried_again(tmp_path: Path) -> None:
    ended = Event()
    with sqlite(tmp_path / "index.db") as engine:
        reads = Reads(engine)

        def give_up() -> None:
            if reads.taken["write"]:
                ended.set()
            raise OperationalError("BEGIN IMMEDIATE", {}, sqlite3.OperationalError("database is locked"))

        reads.repeat("write", give_up, ended)
    assert len(reads.taken["write"]) == 2
