"""Order of the steps of `.ci/run`, its report of a failure, and steps that it need not run again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.ci import __main__ as ci
from scripts.ci import report, running, unchanged
from scripts.ci.steps import STEPS, CiStep
from tests.processes.patience import PATIENCE

ROOT = Path(__file__).parents[2]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder where passed steps are noted."""
    folder = tmp_path / "passed"
    monkeypatch.setattr(unchanged, "FOLDER", folder)
    return folder


def test_run__step_fails__its_tail_is_printed_and_what_needs_it_is_left_out(
    tmp_path: Path, cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    steps = [
        CiStep("good", "echo '== 3 passed, 1 skipped in 2.00s =='"),
        CiStep("bad", "echo why it broke; exit 7"),
        CiStep("later", "touch ran", after=("bad",)),
    ]
    assert ci.run(steps, tmp_path / "logs") == 1
    said = capfd.readouterr().out
    assert "why it broke" in said and "FAILED (7)" in said
    assert "later" not in said and "3 passed, 1 skipped" in said
    assert said.rstrip().splitlines()[-1] != "== 3 passed, 1 skipped in 2.00s =="


def test_run__all_pass__pytests_closing_line_is_the_last(
    tmp_path: Path, cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    steps = [CiStep("tests", "echo '=== 3 passed, 1 skipped in 62.00s (0:01:02) ==='"), CiStep("other", "true")]
    assert ci.run(steps, tmp_path / "logs") == 0
    assert capfd.readouterr().out.rstrip().splitlines()[-1] == "=== 3 passed, 1 skipped in 62.00s (0:01:02) ==="


def test_run__environment_forbids_compiled_modules__steps_share_them(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    monkeypatch.setattr(running, "BYTECODE", tmp_path / "bytecode")
    (tmp_path / "shared.py").touch()
    steps = [CiStep("imports", f"cd {tmp_path} && {sys.executable} -c 'import shared'")]
    assert ci.run(steps, tmp_path / "logs") == 0
    assert list((tmp_path / "bytecode").rglob("shared.*.pyc"))


@pytest.mark.parametrize(
    "line",
    ["= 1 failed, 2 passed in 3.20s =", "==== 5 passed in 1.00s ====", "= 2 passed, 1 error in 100.00s (0:01:40) ="],
)
def test_closing__lines_of_pytest__are_known(line: str) -> None:
    assert report.CLOSING.match(line)


def test_startable__machine_is_full__waits_but_one_always_runs() -> None:
    large, small = CiStep("large", "true", load=10_000), CiStep("small", "true", load=10)
    assert ci.startable([large, small], [], [], {"large", "small"}) == [large]
    assert ci.startable([small], [], [], {"small"}) == [small]


def test_steps__names_and_orders__are_consistent() -> None:
    names = [step.name for step in STEPS]
    assert len(set(names)) == len(names)
    for place, step in enumerate(STEPS):
        assert set(step.after) <= set(names[:place]), f"{step.name} waits for what does not come before it"
        assert not step.inputs or step.tools, f"{step.name} has passed whatever builds it"


def test_steps__every_suite_of_the_makefile__is_run_but_the_one_that_contributing_leaves_out() -> None:
    suites = set(re.findall(r"^(test-[a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    by_marks = {"test-browser", "test-exhaustive"}
    assert by_marks < suites
    left_out = {suite for suite in suites - by_marks if not any(f" {suite} " in step.command for step in STEPS)}
    assert left_out == {"test-providers"}
    assert "except `make test-providers`" in (ROOT / "CONTRIBUTING.md").read_text()


def test_nightly__runs__faults_and_the_rehearsal_too() -> None:
    told = subprocess.run(["make", "-n", "nightly"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for marked in ("-m nightly", "test_fault_times.py", "test_fault_races.py", "-m rehearsal", "tests.program.guided"):
        assert marked in told


def test_unchanged__input_changes__runs_again(tmp_path: Path, cache: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "source").mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", str(checkout)], check=True)
    file = checkout / "source/file"
    file.write_text("one")
    step = CiStep("build", "true", inputs=("source",), tools=("git",))
    assert not unchanged.has_passed(step, checkout)
    unchanged.note(step, checkout)
    assert unchanged.has_passed(step, checkout)
    file.write_text("two")
    assert not unchanged.has_passed(step, checkout)
    file.write_text("one")
    (checkout / "source/new").touch()
    assert not unchanged.has_passed(step, checkout)


def test_unchanged__tool_is_installed_by_the_step__runs_once(tmp_path: Path, cache: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    tool = tmp_path / "compiler"
    step = CiStep("build", "true", inputs=("source",), tools=(str(tool),))
    assert not unchanged.has_passed(step, tmp_path)
    tool.write_text("#!/bin/sh\necho 1.0\n")
    tool.chmod(0o755)
    unchanged.note(step, tmp_path)
    assert unchanged.has_passed(step, tmp_path)


def test_unchanged__inputs_of_the_steps__are_there() -> None:
    for step in STEPS:
        assert all((ROOT / name).exists() for name in step.inputs), step.name


STOPPED = """
import sys
from pathlib import Path
from scripts.ci import __main__ as ci
from scripts.ci.steps import CiStep
ci.heed_signals()
sys.exit(ci.run([CiStep("long", f"echo $$ > {sys.argv[1]}; exec sleep 1000")], Path(sys.argv[2])))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run__is_stopped__ends_what_it_has_started(tmp_path: Path, number: signal.Signals) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)
    ignoring = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")
    running = subprocess.Popen([*ignoring, sys.executable, "-c", STOPPED, str(told), str(tmp_path / "logs")], cwd=ROOT)
    try:
        child = int(told.read_text())
        running.send_signal(number)
        assert running.wait(PATIENCE) == 130
    finally:
        running.kill()
        running.wait()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
