"""An operator looks after the index of a running market, beside the service that fills it."""

from __future__ import annotations

from pathlib import Path

import pytest

from local_market.stack.layout import Layout
from tests.e2e.seeded import UpProcess


@pytest.mark.exhaustive
@pytest.mark.xdist_group("up")
def test_indexer__of_a_running_market__agrees_lacks_nothing_and_is_made_anew(up: UpProcess, tmp_path: Path) -> None:
    file = Layout(Path(up.ready["data"])).index / "market.db"
    assert file.is_file()
    of_it = ("--database", f"sqlite:///{file}")
    found = up.console.json("indexer", "verify", *of_it)
    assert (found["agrees"], found["problems"]) == (True, [])
    assert found["mints"] and found["slot"] > 0
    assert up.console.json("indexer", "gaps", *of_it) == []
    assert up.console.json("indexer", "dead-letters", *of_it) == []
    assert up.console.json("indexer", "rebuild", *of_it)["events"] > 100
    assert up.console.json("indexer", "backfill", "--from", "0", *of_it)["events"] == 0
    assert up.console.json("indexer", "verify", *of_it)["agrees"] is True
    exported = up.console.json("indexer", "export", "--parquet", str(tmp_path), "--events-a-file", "50", *of_it)
    assert exported["events"] > 100 and exported["files"] == len(list(tmp_path.glob("*.parquet"))) > 2
    assert up.console.json("indexer", "export", "--parquet", str(tmp_path), "--check", *of_it) == exported
