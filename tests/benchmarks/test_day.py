"""A quarter of an hour of the day's benchmark: everything runs, is counted, and agrees in the end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import day
from tests.indexer import postgres


@pytest.mark.exhaustive
def test_day__some_steps__counts_everything_and_agrees(tmp_path: Path) -> None:
    postgres.require()
    file = tmp_path / "day.json"
    assert day.main(["--hours", "0.25", "--rate", "60", "--pace", "3", "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    assert found["agrees"] and found["gaps"] == 0 and found["failed_reads"] == 0
    assert found["rentals"] > 5 and found["transactions"] > found["rentals"] and found["lamports"]["renters"] < 0
    services = {"cluster", "indexer", "api-1", "api-2", "keeper", "PostgreSQL"}
    assert services < set(found["processor_seconds"]) and all(found["processor_seconds"].values())
    assert all(last > 0 for _, last in found["resident_mb"].values())
