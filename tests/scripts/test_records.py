"""Records of long runs: what is read of a run's file, and the tables of docs/assurance.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts import records

JUNIT = """<testsuites><testsuite name="pytest" errors="1" failures="2" skipped="3" tests="13" time="840.4">
<testcase name="a"><properties><property name="actions" value="100"/></properties></testcase>
<testcase name="b"><properties><property name="actions" value="20"/></properties></testcase>
</testsuite></testsuites>"""
MACHINE = "machine"


@pytest.fixture
def junit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run's file, with records that a test may change."""
    changed = tmp_path / "runs.json"
    changed.write_bytes(records.RECORDS.read_bytes())
    monkeypatch.setattr(records, "RECORDS", changed)
    file = tmp_path / "junit.xml"
    file.write_text(JUNIT)
    return file


def row(name: str) -> str:
    return next(each for each in records.runs() if each.startswith(f"| {records.RUNS[name].title} |"))


def test_page__tables__are_those_of_the_records() -> None:
    page = records.PAGE.read_text()
    assert records.with_tables(page) == page, "python -m scripts.records"


def test_record__run_of_pytest__counts_failures_and_properties(junit: Path) -> None:
    records.record(MACHINE, junit)
    assert records.recorded()[MACHINE]["figures"] == {"tests": 10, "faults": 3, "minutes": 14, "actions": 120}
    assert "in 14 minutes | 3 |" in row(MACHINE)


def test_row__run_of_another_program__says_so(junit: Path) -> None:
    records.record(MACHINE, junit)
    assert "an earlier program" not in row(MACHINE)
    told = records.recorded()
    told[MACHINE]["program"] = "0" * 64
    records.RECORDS.write_text(json.dumps(told))
    assert "an earlier program" in row(MACHINE)


def test_record__fuzzer__counts_its_faults_and_those_of_the_audit(tmp_path: Path) -> None:
    told = {"seconds": 75.02, "sequences": 6, "transactions": 70, "faults": ["a"], "audited": 5, "audit_faults": ["b"]}
    file = tmp_path / "fuzz.json"
    file.write_text(json.dumps({**told, "kept": 9}))
    assert records.of_fuzzer(file) == {"sequences": 6, "transactions": 70, "audited": 5, "faults": 2, "minutes": 1}


def test_record__replays__adds_up_the_sources(tmp_path: Path) -> None:
    tally = {"sequences": 1, "transactions": 20, "succeeded": 15, "differ": 0}
    sources = {"tests": tally, "corpus": {**tally, "differ": 2}}
    file = tmp_path / "runtimes.json"
    file.write_text(json.dumps(sources))
    assert records.of_replays(file) == {"sequences": 2, "transactions": 40, "faults": 2, "sources": sources}
