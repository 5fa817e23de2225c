"""The generated package as a whole: typed, formatted, the same every time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from anchor_idl.codegen.parse import parse_idl
from anchor_idl.codegen.python.package import package_files

from .conftest import PROGRAMS, read_idl

ROOT = Path(__file__).parents[3]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.exhaustive
def test_generate__every_idl__passes_mypy_strict(generated: Path, tmp_path: Path) -> None:
    folders = [str(generated / f"generated_{name}") for name in PROGRAMS]

    result = run("mypy", "--strict", "--cache-dir", str(tmp_path), *folders)

    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.exhaustive
def test_generate__wrong_call__is_caught_by_mypy(generated: Path, tmp_path: Path) -> None:
    caller = generated / "generated_bazaar" / "caller.py"
    caller.write_text("from .pdas import find_stall\nfind_stall(1, 'x')\n")

    result = run("mypy", "--strict", "--cache-dir", str(tmp_path), str(caller))

    caller.unlink()
    assert result.stdout.count("[arg-type]") == 2, result.stdout


def test_generate__every_idl__passes_ruff(generated: Path) -> None:
    line = ["--line-length", "120", "--isolated", "--no-cache"]

    checked = run("ruff", "check", *line, "--select", "E,F,UP,B,SIM", str(generated))
    formatted = run("ruff", "format", "--check", *line, str(generated))

    assert (checked.returncode, formatted.returncode) == (0, 0), checked.stdout + formatted.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_package_files__twice__are_the_same(name: str) -> None:
    first, second = (package_files(parse_idl(read_idl(name))) for _ in range(2))

    assert first == second
    assert all(source.startswith('"""Generated from the program\'s IDL;') for source in first.values())


def test_package_files__one_definition_a_file__are_where_readers_look() -> None:
    files = package_files(parse_idl(read_idl("relay")))

    assert sorted(files) == [
        *("__init__.py", "accounts/__init__.py", "accounts/class_.py", "constants.py", "errors.py"),
        *("events/__init__.py", "events/forwarded.py", "instructions/__init__.py", "instructions/_forward.py"),
        *("instructions/_import_.py", "pdas.py", "program.py", "types/__init__.py", "types/hop.py", "types/pair.py"),
    ]


def test_import__of_a_package__imports_what_is_used(generated: Path) -> None:
    script = """
import sys
from generated_bazaar import accounts, errors, events, instructions, types
def used(): return {name for name in sys.modules if name.startswith("generated_bazaar.") and name.count(".") == 2}
assert used() == set(), used()
instructions.close_stall
assert "generated_bazaar.instructions._close_stall" in used() and "generated_bazaar.events.stall_opened" not in used()
assert instructions.close_stall is instructions.close_stall and callable(instructions.close_stall)
try: events.StallClosed
except AttributeError as error: assert "no attribute 'StallClosed'" in str(error)
else: raise AssertionError
"""
    result = subprocess.run([sys.executable, "-c", script], cwd=generated, capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stderr
