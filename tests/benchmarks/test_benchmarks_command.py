"""`python -m benchmarks`: what it runs, prints and writes, and how it ends."""

from __future__ import annotations

import asyncio
import importlib
import json
import platform
import signal
from dataclasses import fields
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks.figures import Figure, Parts, Progress, Report, Row, at_most
from benchmarks.machine import BenchmarkMachine
from benchmarks.registry import BENCHMARKS, Benchmark, select
from benchmarks.results import RESULTS


class Fixed(Benchmark):
    """Finds the same every time, or fails."""

    async def measure(self, progress: Progress) -> Report:
        if self.name == "broken":
            raise OSError("no such thing")
        if self.name == "cut off":
            raise KeyboardInterrupt
        if self.name in TAILS:
            parts = Parts(progress)
            await parts.take("head", _head())
            await parts.take("tail", TAILS[self.name]())
            return parts.report()
        return Report([Figure("size", 3, "bytes", at_most(2))], [{"part": "head", "bytes": 3}])


async def _head() -> tuple[list[Figure], list[Row]]:
    return [Figure("size", 3, "bytes")], [{"part": "head", "bytes": 3}]


async def _broken() -> tuple[list[Figure], list[Row]]:
    raise ExceptionGroup("several", [OSError("no such thing")])


async def _interrupted() -> tuple[list[Figure], list[Row]]:
    """As Ctrl-C does it."""
    signal.raise_signal(signal.SIGINT)
    await asyncio.Event().wait()
    raise AssertionError


async def _raised() -> tuple[list[Figure], list[Row]]:
    """As Ctrl-C does it where something else than asyncio handles the signal."""
    raise KeyboardInterrupt


TAILS = {"half": _broken, "cancelled": _interrupted, "raised": _raised}


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Benchmarks called fixed and broken; gives where results go by default."""
    known = {name: Fixed(name, name.title()) for name in ("fixed", "broken", "cut off", *TAILS)}
    monkeypatch.setattr(command, "select", lambda names: [known[name] for name in names] or [known["fixed"]])
    monkeypatch.setattr(command, "RESULTS", tmp_path / "results.json")
    return tmp_path / "results.json"


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda benchmark: benchmark.name)
def test_registry__every_name__is_a_module_that_measures(benchmark: Benchmark) -> None:
    assert callable(importlib.import_module(f"benchmarks.suite.{benchmark.name}").measure)


def test_select__names__keep_the_order_of_the_registry() -> None:
    assert [benchmark.name for benchmark in select(["api", "program"])] == ["program", "api"]
    assert list(select([])) == list(BENCHMARKS)


def test_main__unknown_name__is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["nothing"])
    assert ended.value.code == 2
    assert "no benchmark is called nothing" in capsys.readouterr().err


def test_main__all__writes_the_results_and_prints_both_tables(fixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == 0
    [figure] = json.loads(fixed.read_text())["benchmarks"]["fixed"]["figures"]
    assert figure == {"name": "size", "value": 3, "unit": "bytes", "target": "≤ 2", "met": False}
    printed = capsys.readouterr().out
    assert "missed" in printed and "head" in printed


def test_main__some__leaves_the_results_alone(fixed: Path) -> None:
    assert command.main(["fixed"]) == 0
    assert not fixed.exists()


def test_main__output_named__writes_there(fixed: Path, tmp_path: Path) -> None:
    assert command.main(["fixed", "--output", str(tmp_path / "other.json")]) == 0
    assert (tmp_path / "other.json").exists() and not fixed.exists()


@pytest.mark.usefixtures("fixed")
def test_main__one_fails__reports_it_and_runs_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["broken", "fixed", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["benchmarks"]
    assert found["broken"]["failure"] == "OSError: no such thing"
    assert found["fixed"]["figures"]


@pytest.mark.usefixtures("fixed")
def test_main__part_fails__reports_it_and_keeps_the_others_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["half", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["benchmarks"]["half"]
    assert found["failure"] == "tail: OSError: no such thing" and found["figures"][0]["value"] == 3
    assert command.main(["half"]) == 1
    printed = capsys.readouterr().out
    assert "size" in printed and "no such thing" in printed and "fixed loop takes" in printed


@pytest.mark.usefixtures("fixed")
def test_main__cut_off__what_was_measured_is_left(tmp_path: Path) -> None:
    output, partial = tmp_path / "other.json", tmp_path / "other.json.partial"
    assert command.main(["fixed", "cut off", "--output", str(output)]) == command.INTERRUPTED
    assert json.loads(partial.read_text())["benchmarks"]["fixed"]["figures"] and not output.exists()
    assert command.main(["fixed", "--output", str(output)]) == 0
    assert output.exists() and not partial.exists()


def test_main__some_cut_off__prints_and_keeps_what_was_measured(
    fixed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["fixed", "cut off", "--json"]) == command.INTERRUPTED
    printed = json.loads(capsys.readouterr().out)
    assert printed["benchmarks"].keys() == {"fixed"} and printed["machine"]["loop_ms"] > 0
    assert json.loads((fixed.parent / "fixed-cut off.json.partial").read_text()) == printed
    assert command.main(["cut off"]) == command.INTERRUPTED
    assert "nothing is written" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["cancelled", "raised"])
def test_main__interrupted_in_a_part__keeps_the_parts_before(
    fixed: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert command.main([name, "--json"]) == command.INTERRUPTED
    found = json.loads(capsys.readouterr().out)["benchmarks"][name]
    assert found["figures"][0]["value"] == 3 and found["failure"] == "tail: cut off"
    assert (fixed.parent / f"{name}.json.partial").exists()


def test_results__committed__cover_every_benchmark_and_name_no_machine() -> None:
    text = RESULTS.read_text()
    found = json.loads(text)
    assert list(found["benchmarks"]) == [benchmark.name for benchmark in BENCHMARKS]
    assert all("failure" not in outcome for outcome in found["benchmarks"].values())
    assert {each.name for each in fields(BenchmarkMachine)} <= found["machine"].keys()
    for secret in (str(Path.home()), str(Path(__file__).parents[2]), "/tmp", platform.node()):
        assert secret not in text
