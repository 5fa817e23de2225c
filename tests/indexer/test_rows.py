"""The rows of a transaction: read once, changed in place, written with what has changed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, event

from indexer.models import Host, Price, RewardStream
from indexer.store.database import writing
from indexer.store.rows import Rows
from tests.indexer.tables import rows_of


@pytest.fixture
def connection(sqlite_engine: Engine) -> Iterator[Connection]:
    with writing(sqlite_engine) as connection:
        rows = Rows(connection)
        for number in range(3):
            rows.add(RewardStream(number=number, mint="m", token_account="t", queued=10))
        rows.write()
        yield connection


def updates(connection: Connection) -> list[str]:
    """The statements that change rows from now on."""
    seen: list[str] = []

    def executed(_: object, __: object, statement: str, *___: object) -> None:
        if statement.startswith("UPDATE"):
            seen.append(statement)

    event.listen(connection, "before_cursor_execute", executed)
    return seen


def test_write__rows_changed_alike__in_one_statement_of_these_columns(connection: Connection) -> None:
    rows, seen = Rows(connection), updates(connection)
    for number in (0, 2):
        stream = rows.change(RewardStream, number)
        assert stream is not None
        stream.queued = 20 + number
    rows.write()
    assert seen == ["UPDATE reward_stream SET queued=? WHERE number=?"]
    connection.commit()
    assert [row.queued for row in rows_of(connection.engine, RewardStream)] == [20, 10, 22]


def test_write__rows_to_change_left_as_they_are__no_statement(connection: Connection) -> None:
    rows, seen = Rows(connection), updates(connection)
    assert rows.change(RewardStream, 0) is not None
    rows.write()
    assert seen == []


def test_write__row_added_and_changed__inserted_as_it_is_last(connection: Connection) -> None:
    rows, seen = Rows(connection), updates(connection)
    rows.add(Price(mint="m", seq=1, price=1, ts=1, tx="s"))
    price = rows.change(Price, "m", 1)
    assert price is not None
    price.price = 2
    rows.write()
    assert seen == []
    assert Rows(connection).find(Price, "m", 1) == price


def test_find__row_that_does_not_exist__none(connection: Connection) -> None:
    rows = Rows(connection)
    assert rows.find(RewardStream, 9) is None
    assert rows.change(Price, "m", 1) is None


def test_load__keys_of_any_size__gives_the_rows_that_there_are(engine: Engine) -> None:
    prices = [Price(mint="m", seq=seq, price=seq, ts=1, tx="s") for seq in (1, 2**63 - 1, 2**63, 2**64 - 1)]
    host = Host(address="h", authority="a", seal_key="00", registered_at=1, seq=1, approved=True)
    with writing(engine) as connection:
        written, read = Rows(connection), Rows(connection)
        for row in (*prices, host):
            written.add(row)
        written.write()
        read.load(Price, [("m", 7), *(("m", price.seq) for price in prices)])
        assert [read.find(Price, "m", price.seq) for price in prices] == prices
        assert read.find(Price, "m", 7) is None
        found = read.find(Host, "h")
    assert found == host and found is not None and found.approved is True


def test_add__row_that_is_known__is_refused(connection: Connection) -> None:
    rows = Rows(connection)
    assert rows.find(RewardStream, 1) is not None
    with pytest.raises(ValueError, match=r"RewardStream \(1,\) exists"):
        rows.add(RewardStream(number=1, mint="m", token_account="t"))
