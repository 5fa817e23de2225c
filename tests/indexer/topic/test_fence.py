"""Of several projectors only the one that took over last can write, whatever it writes. Invariant IDX-18."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from sqlalchemy import Engine, select
from sqlalchemy.exc import DBAPIError

from anchor_client.generated.program import PROGRAM_ID
from indexer.errors import Fenced
from indexer.index.ingest import ingest
from indexer.index.proof.gaps import GapRepair
from indexer.index.rebuild import rebuild
from indexer.models import Cursor, TopicPosition
from indexer.status import Status
from indexer.store import database
from indexer.store.database import writing
from indexer.store.fence import Fence, Term, take_over
from indexer.store.progress import write_progress
from tests.indexer.databases import on_both_databases
from tests.indexer.tables import contents, only
from tests.markets.recorded import Market, as_transaction

PROGRAM = str(PROGRAM_ID)


class TakenOver:
    """One that has taken over."""

    def __init__(self, engine: Engine) -> None:
        self.term = take_over(engine, PROGRAM)
        self.lost = 0
        self.fence = Fence(PROGRAM, self.term, self._lose)
        self.engine = self.fence.guard(engine)

    def _lose(self) -> None:
        self.lost += 1


def take_in(engine: Engine, market: Market) -> None:
    ingest([as_transaction(record) for record in market.records], engine)


WRITERS: dict[str, Callable[[Engine, Market], object]] = {
    "ingest": take_in,
    "progress": lambda engine, market: write_progress(engine, PROGRAM, Status()),
    "rebuild": lambda engine, market: rebuild(engine),
    "repair": lambda engine, market: GapRepair(engine, None).start_over(),  # type: ignore[arg-type]
}


@on_both_databases
@pytest.mark.parametrize("writer", WRITERS)
def test_writer__another_has_taken_over__leaves_nothing_behind(engine: Engine, market: Market, writer: str) -> None:
    late, active = TakenOver(engine), TakenOver(engine)
    take_in(active.engine, market)
    market.beat()
    before = contents(engine), only(engine, TopicPosition)
    with pytest.raises(Fenced):
        WRITERS[writer](late.engine, market)
    assert (contents(engine), only(engine, TopicPosition)) == before
    assert (late.lost, active.lost) == (1, 0)
    WRITERS[writer](active.engine, market)


@on_both_databases
def test_writer__active__notes_how_far_the_topic_is_read(engine: Engine, market: Market) -> None:
    projector = TakenOver(engine)
    assert projector.term == Term(1, 0, 0)
    projector.fence.move(7, 70)
    assert only(engine, TopicPosition) == TopicPosition(source=PROGRAM, epoch=1, next_slot=0, next_offset=0)
    take_in(projector.engine, market)
    assert only(engine, TopicPosition) == TopicPosition(source=PROGRAM, epoch=1, next_slot=7, next_offset=70)
    slot = only(engine, Cursor).slot
    assert TakenOver(engine).term == Term(2, max(7, slot), 70)


def test_writer__fails_behind_the_fence__notes_nothing(sqlite_engine: Engine) -> None:
    projector = TakenOver(sqlite_engine)
    projector.fence.move(7, 70)
    with pytest.raises(ZeroDivisionError), writing(projector.engine):
        raise ZeroDivisionError
    assert only(sqlite_engine, TopicPosition).next_offset == 0


@pytest.mark.postgres
@pytest.mark.xdist_group("postgres")
def test_writer__suspended_in_its_turn__does_not_keep_another_from_taking_over(
    postgres_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "IDLE_SECONDS", 1)
    late = TakenOver(postgres_engine)
    with pytest.raises(DBAPIError), writing(late.engine) as connection:
        assert TakenOver(postgres_engine).term.epoch == 2
        connection.execute(select(1))


@pytest.mark.postgres
@pytest.mark.xdist_group("postgres")
def test_writer__suspended_within_a_copy__does_not_keep_another_from_taking_over(
    postgres_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "IDLE_SECONDS", 1)
    late = TakenOver(postgres_engine)
    with pytest.raises((DBAPIError, psycopg.Error)), writing(late.engine) as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        with driver.cursor().copy("COPY topic_position FROM STDIN"):
            assert TakenOver(postgres_engine).term.epoch == 2


def test_writer__of_another_kind__passes_no_fence(sqlite_engine: Engine, market: Market) -> None:
    TakenOver(sqlite_engine)
    take_in(sqlite_engine, market)
    assert only(sqlite_engine, TopicPosition).next_slot == 0
