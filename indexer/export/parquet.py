"""One Parquet file of events."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from indexer.errors import ParquetMissing
from indexer.export.rows import EventRow

READ_ROWS = 5_000


def write_file(path: Path, pages: Iterable[list[EventRow]]) -> None:
    """Writes pages of events to a new file, which is on the disk then. Raises ParquetMissing, OSError."""
    arrow, parquet = _library()
    schema = _schema(arrow)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows in pages:
            columns = dict(zip(EventRow._fields, map(list, zip(*rows, strict=True)), strict=True))
            columns["time"] = arrow.array(columns["time"], arrow.timestamp("s", tz="UTC")).cast(
                schema.field("time").type
            )
            writer.write_table(arrow.table(columns, schema=schema))
    with path.open("rb") as written:
        os.fsync(written.fileno())


def read_file(path: Path) -> Iterator[list[EventRow]]:
    """Pages of the events of a file. Raises ParquetMissing, OSError, and ValueError if it holds something else."""
    arrow, parquet = _library()
    with parquet.ParquetFile(path) as file:
        if file.schema_arrow.names != list(EventRow._fields):
            raise ValueError(f"{path.name} has the columns {', '.join(file.schema_arrow.names)}")
        for batch in file.iter_batches(READ_ROWS):
            table = arrow.Table.from_batches([batch])
            seconds = table["time"].cast(arrow.timestamp("s", tz="UTC")).cast(arrow.int64())
            table = table.set_column(table.column_names.index("time"), "time", seconds)
            yield [EventRow(*row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def _schema(arrow: Any) -> Any:
    types = {
        "number": arrow.int64(),
        "slot": arrow.int64(),
        "transaction_index": arrow.int64(),
        "instruction_index": arrow.int32(),
        "inner_index": arrow.int32(),
        "time": arrow.timestamp("ms", tz="UTC"),  # Parquet has no seconds
        "data": arrow.binary(),
    }
    return arrow.schema([(name, types.get(name, arrow.string())) for name in EventRow._fields])


def _library() -> tuple[Any, Any]:
    try:
        import pyarrow  # noqa: PLC0415 - an optional dependency
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise ParquetMissing from error
    return pyarrow, pyarrow.parquet
