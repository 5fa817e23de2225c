"""Exported events: every one of them once, whatever ends a run, and as the index has them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pyarrow.parquet
import pytest
from sqlalchemy import Engine, delete, insert, update

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.service.lock_file import locked
from indexer.errors import ExportDiffers, ExportUnusable, ParquetMissing
from indexer.export import export as exports
from indexer.export.export import check, export
from indexer.export.manifest import NAME
from indexer.index.ingest import ingest
from indexer.models import Progress, RawEvent
from tests.docs.pages import ROOT
from tests.indexer.databases import on_both_databases
from tests.markets.recorded import Market
from tests.program.harness.flows import running

A_FILE = 7


class StopHere(Exception):
    """Ends a run where a kill would."""


def ignore(_: int) -> None:
    """Progress that nobody looks at."""


def rented(market: Market, engine: Engine) -> None:
    """A rental from its order to its end, in the index."""
    rental = running(market, market.renter(), listing=market.list_machine())
    market.pass_time(240)
    market.act(market.stop_rental(rental))
    ingest(market.transactions(), engine)


def raw(engine: Engine) -> list[tuple[Any, ...]]:
    columns = [RawEvent.c[name] for name in ("number", "slot", "signature", "name", "data")]
    with engine.connect() as connection:
        return [
            tuple(row)
            for row in connection.execute(RawEvent.table.select().with_only_columns(*columns).order_by(columns[0]))
        ]


def exported(folder: Path) -> list[tuple[Any, ...]]:
    """All rows of a folder, as DuckDB reads them."""
    with duckdb.connect() as reader:
        found = reader.execute(f"SELECT number, slot, signature, name, data FROM '{folder}/*.parquet' ORDER BY number")
        return found.fetchall()


@on_both_databases
def test_export__new_events__are_added_and_full_files_stay(market: Market, engine: Engine, tmp_path: Path) -> None:
    rented(market, engine)
    first = export(engine, tmp_path / "events", ignore, events_a_file=A_FILE)
    assert first.events == len(raw(engine)) > 2 * A_FILE and first.events % A_FILE
    assert exported(tmp_path / "events") == raw(engine)
    full = {part.file: (tmp_path / "events" / part.file).stat().st_mtime_ns for part in first.parts[:-1]}
    rented(market, engine)
    second = export(engine, tmp_path / "events", ignore, events_a_file=A_FILE)
    assert second.events == len(raw(engine)) > first.events
    assert exported(tmp_path / "events") == raw(engine)
    assert {name: (tmp_path / "events" / name).stat().st_mtime_ns for name in full} == full
    assert [part.events for part in second.parts[:-1]] == [A_FILE] * (len(second.parts) - 1)
    third = export(engine, tmp_path / "events", ignore, events_a_file=A_FILE)
    assert third == second == check(engine, tmp_path / "events", ignore)


def test_export__what_analysts_read__is_what_the_feed_has(
    market: Market, sqlite_engine: Engine, tmp_path: Path
) -> None:
    rented(market, sqlite_engine)
    export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE)
    with duckdb.connect() as reader:
        query = (
            "SELECT name, fields->>'rental', epoch(time) FROM '{}/*.parquet' WHERE name LIKE 'Rental%' ORDER BY number"
        )
        found = reader.execute(query.format(tmp_path)).fetchall()
    assert len({rental for _, rental, _ in found}) == 1
    assert found[0][0] == "RentalOpened" and found[-1][2] - found[0][2] >= 240
    with duckdb.connect() as reader:
        reader.execute(f"SET file_search_path = '{tmp_path}'")
        page = (ROOT / "docs/index-and-api.md").read_text()
        query = page.partition("```sql\n")[2].partition("```")[0].replace("events/", "")
        assert [opened for _, opened in reader.execute(query).fetchall()] == [1]


def test_export__ended_at_any_page__goes_on_at_the_next_run(
    market: Market, sqlite_engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.export.rows.PAGE", 3)
    rented(market, sqlite_engine)
    pages = -(-len(raw(sqlite_engine)) // 3)
    for allowed in range(pages):
        left = [allowed]

        def stop(_: int, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise StopHere

        folder = tmp_path / str(allowed)
        with pytest.raises(StopHere):
            export(sqlite_engine, folder, stop, events_a_file=A_FILE)
        assert not list(folder.glob(".unfinished*"))
        held = export(sqlite_engine, folder, ignore, events_a_file=A_FILE)
        assert exported(folder) == raw(sqlite_engine) and held == check(sqlite_engine, folder, ignore)


def test_export__file_without_a_line_in_the_manifest__is_written_again(
    market: Market, sqlite_engine: Engine, tmp_path: Path
) -> None:
    """As a kill between the two leaves it."""
    rented(market, sqlite_engine)
    held = export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE)
    before = msgspec.structs.replace(held, parts=held.parts[:1])
    before.write(tmp_path)
    (tmp_path / ".unfinished.parquet").write_bytes(b"half of a file")
    assert export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE) == held
    assert exported(tmp_path) == raw(sqlite_engine)


def test_export__events_that_may_be_withdrawn__wait(market: Market, sqlite_engine: Engine, tmp_path: Path) -> None:
    rented(market, sqlite_engine)
    slots = [slot for _, slot, *_ in raw(sqlite_engine)]
    settled = sorted(set(slots))[-2]
    seen = {"source": str(PROGRAM_ID), "head_slot": 1, "complete_slot": 1, "chain_time": 1, "seen_at": 1}
    with sqlite_engine.begin() as connection:
        connection.execute(insert(Progress.table).values(**seen, final_slot=settled))
    assert (
        export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE).events
        == sum(slot <= settled for slot in slots)
        < len(slots)
    )
    with sqlite_engine.begin() as connection:
        connection.execute(update(Progress.table).values(final_slot=max(slots)))
    assert export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE).events == len(slots)


def test_export__file_that_was_changed__is_named(market: Market, sqlite_engine: Engine, tmp_path: Path) -> None:
    rented(market, sqlite_engine)
    held = export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE)
    second = tmp_path / held.parts[1].file
    table = pyarrow.parquet.read_table(second)
    pyarrow.parquet.write_table(table.slice(1), second)
    with pytest.raises(ExportDiffers, match=second.name):
        check(sqlite_engine, tmp_path, ignore)


def test_export__event_that_the_index_lost__is_noticed(market: Market, sqlite_engine: Engine, tmp_path: Path) -> None:
    rented(market, sqlite_engine)
    held = export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE)
    with sqlite_engine.begin() as connection:
        connection.execute(delete(RawEvent.table).where(RawEvent.c.number == held.last - 1))
    with pytest.raises(ExportDiffers, match="events"):
        export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE)


def test_export__unusable_folder__is_named_and_stays_as_it_is(
    market: Market, sqlite_engine: Engine, tmp_path: Path
) -> None:
    with pytest.raises(ExportUnusable, match="no event yet"):
        export(sqlite_engine, tmp_path / "empty", ignore, events_a_file=A_FILE)
    rented(market, sqlite_engine)
    with pytest.raises(ExportUnusable, match="no exported events"):
        check(sqlite_engine, tmp_path, ignore)
    export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE)
    manifest = json.loads((tmp_path / NAME).read_text())
    for wrong, said in (
        (json.dumps(manifest | {"intake": "another"}), "another index"),
        (json.dumps(manifest | {"format": 2}), "format 2"),
        ("{", "cannot be read"),
    ):
        (tmp_path / NAME).write_text(wrong)
        with pytest.raises(ExportUnusable, match=said):
            export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE)
        assert (tmp_path / NAME).read_text() == wrong
    with locked(tmp_path / ".lock", RuntimeError()), pytest.raises(ExportUnusable, match="another process"):
        export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE)


def test_export__without_pyarrow__names_the_extra(
    market: Market, sqlite_engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rented(market, sqlite_engine)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ParquetMissing) as missing:
        exports.export(sqlite_engine, tmp_path, ignore, events_a_file=A_FILE)
    assert "gpu-market[parquet]" in missing.value.remedy
