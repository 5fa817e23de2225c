"""Exports events in the order of their numbers, to files that are never written again once they are full.

A run continues where the last one has ended, however that was: a file has its name, and the manifest names it, once it
was read back and has the hash of what the database gave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, func, select

from anchor_client.service.lock_file import locked
from indexer.errors import ExportDiffers, ExportUnusable
from indexer.export.manifest import EventFile, ExportManifest, read_manifest
from indexer.export.parquet import read_file, write_file
from indexer.export.rows import EventRow, RowsHash, pages_of
from indexer.models import Intake, Progress, RawEvent

Told = Callable[[int], object]
"""Is called with the number of events done so far; what it raises ends the run."""


def export(engine: Engine, folder: Path, told: Told, *, events_a_file: int) -> ExportManifest:
    """Adds to a folder the final events that it lacks; gives what it holds then.

    Raises ExportUnusable for a folder of another index or that another process writes to, ExportDiffers if a file does
    not hold what the database does, ParquetMissing, OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".lock", _busy(folder)), engine.connect() as connection:
        manifest = _manifest(connection, folder, events_a_file)
        while (part := _next_part(connection, folder, manifest, told)) is not None:
            if manifest.parts and manifest.parts[-1].first == part.first:
                manifest.parts.pop()
            manifest.parts.append(part)
            manifest.write(folder)
        _require_all(connection, manifest)
    return manifest


def check(engine: Engine, folder: Path, told: Told) -> ExportManifest:
    """Reads every file of a folder and compares its events with the database's. Raises as `export`."""
    found = read_manifest(folder)
    if found is None:
        raise ExportUnusable(f"{folder} holds no exported events")
    with locked(folder / ".lock", _busy(folder)), engine.connect() as connection:
        _require_same_index(connection, found, folder)
        done = 0
        for part in found.parts:
            here = _hash(pages_of(connection, part.first - 1, until=part.last))
            if not _read_hash(folder / part.file).raw == here.raw == part.sha256:
                raise ExportDiffers(f"{part.file} does not hold events {part.first} to {part.last} of the index")
            connection.rollback()
            done += part.events
            told(done)
        _require_all(connection, found)
    return found


def _manifest(connection: Connection, folder: Path, events_a_file: int) -> ExportManifest:
    found = read_manifest(folder)
    if found is None:
        return ExportManifest(_intake(connection), events_a_file)
    _require_same_index(connection, found, folder)
    return found


def _next_part(connection: Connection, folder: Path, manifest: ExportManifest, told: Told) -> EventFile | None:
    """Writes the next file, or the last one again with more events in it; None if there is nothing new."""
    if next(_final(connection, manifest.last, 1), None) is None:
        return None
    after = manifest.last
    replaced = 0
    if manifest.parts and manifest.parts[-1].events < manifest.events_a_file:
        after = manifest.parts[-1].first - 1
        replaced = manifest.parts[-1].events
    given = RowsHash()
    numbers: list[int] = []

    def pages() -> Iterator[list[EventRow]]:
        for page in _final(connection, after, manifest.events_a_file):
            given.add(page)
            numbers.extend((page[0].number, page[-1].number))
            yield page
            told(manifest.events - replaced + given.rows)
            # A long transaction would keep the database from clearing up what others delete.
            connection.rollback()

    unfinished = folder / ".unfinished.parquet"
    try:
        write_file(unfinished, pages())
        name = f"events-{numbers[0]:012}.parquet"
        if _read_hash(unfinished).whole != given.whole:
            raise ExportDiffers(f"{name} does not hold what was written to it: look at the disk")
        unfinished.replace(folder / name)
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()
    return EventFile(name, numbers[0], numbers[-1], given.rows, given.raw)


def _final(connection: Connection, after: int, most: int) -> Iterator[list[EventRow]]:
    """Events behind a number, up to the first that may still be withdrawn."""
    settled = connection.execute(select(func.min(Progress.c.final_slot))).scalar()
    for page in pages_of(connection, after, most=most):
        final = page if settled is None else page[: _place_of_open(page, settled)]
        if final:
            yield final
        if len(final) < len(page):
            return


def _place_of_open(page: list[EventRow], settled: int) -> int:
    return next((place for place, row in enumerate(page) if row.slot > settled), len(page))


def _require_all(connection: Connection, manifest: ExportManifest) -> None:
    wanted = select(func.count()).where(RawEvent.c.number <= manifest.last).select_from(RawEvent.table)
    count = connection.execute(wanted).scalar_one()
    if count != manifest.events:
        raise ExportDiffers(f"the files hold {manifest.events:,} events, the index {count:,} up to the same number")


def _require_same_index(connection: Connection, manifest: ExportManifest, folder: Path) -> None:
    if manifest.intake != _intake(connection):
        raise ExportUnusable(f"{folder} holds events of another index, whose numbers are others")


def _intake(connection: Connection) -> str:
    found: str | None = connection.execute(select(Intake.c.id)).scalar()
    if found is None:
        raise ExportUnusable("the index has taken in no event yet")
    return found


def _read_hash(path: Path) -> RowsHash:
    return _hash(read_file(path))


def _hash(pages: Iterable[list[EventRow]]) -> RowsHash:
    made = RowsHash()
    for page in pages:
        made.add(page)
    return made


def _busy(folder: Path) -> ExportUnusable:
    return ExportUnusable(f"another process exports to {folder}")
