"""Inputs of steps that CI skips: they name every file of the checkout that the step opens."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.ci.inputs import MOVED, PROOFS
from scripts.sbf.program import BINARY, MOVE

ROOT = Path(__file__).parents[2]
RECORD = """
import sys
from pathlib import Path
from unittest.mock import MagicMock
sys.modules["z3"] = MagicMock()  # only `make prove` installs it
root, opened, source = Path.cwd(), set(), sys.argv.pop(1)
sys.addaudithook(lambda event, given: opened.add(str(given[0])) if event == "open" else None)
exec(source)
for path in sorted(opened):
    print(f"opened {path}")
"""
PROVE = """
from tests.program.proofs import __main__, linear, mutated, prove, search
mutated.read()
"""


@pytest.mark.parametrize(
    ("inputs", "source", "needed"),
    [
        (MOVED, MOVE, "anchor_client/deploy/binary.py"),
        (PROOFS, PROVE, "tests/program/proofs/mutations.toml"),
    ],
    ids=["moved program", "proofs"],
)
def test_inputs__of_a_step__name_every_file_that_it_opens(
    inputs: tuple[str, ...], source: str, needed: str, tmp_path: Path
) -> None:
    """Sources are read, never compiled files: the folder of these is empty."""
    told = subprocess.run(
        [sys.executable, "-c", RECORD, source, str(BINARY), str(tmp_path / "moved.so")],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(tmp_path / "compiled")},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    opened = {Path(line.removeprefix("opened ")) for line in told.splitlines() if line.startswith("opened ")}
    environment = Path(sys.prefix)
    read = {
        path.relative_to(ROOT)
        for path in opened
        if path.is_relative_to(ROOT) and path.is_file() and not path.is_relative_to(environment)
    }
    assert Path(needed) in read
    left_out = {path for path in read if not any(path.is_relative_to(name) for name in inputs)}
    assert not left_out, f"changes of these would not be noticed: {sorted(map(str, left_out))}"
