"""Installations without a checkout get what the tests ran with."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from scripts import lock

PROJECT = tomllib.loads(lock.PROJECT.read_text())
PINNED = PROJECT["project"]["optional-dependencies"][lock.PINNED]
REMEDY = "run `make lock`"


def test_pinned__against_the_lock__is_all_that_runs_and_nothing_else() -> None:
    assert lock.running() == PINNED, REMEDY


def test_pinned__against_the_constraints__each_version_is_the_same() -> None:
    constraints = lock.versions("\n".join(PROJECT["tool"]["uv"][lock.CONSTRAINTS]))
    pinned = lock.versions("\n".join(PINNED))
    assert len(pinned) == len(PINNED) and pinned.items() <= constraints.items(), REMEDY


def test_write__a_list__replaces_the_one_of_that_name_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "pyproject.toml"
    monkeypatch.setattr(lock, "PROJECT", project)
    project.write_text('[a]\npinned = [\n  "old[x]==1",\n]\n[b]\nconstraint-dependencies = [\n]\n')
    lock.write(lock.PINNED, ["new==2 ; sys_platform == 'win32'"])
    lock.write(lock.CONSTRAINTS, ["new==2"])
    assert tomllib.loads(project.read_text()) == {
        "a": {"pinned": ["new==2 ; sys_platform == 'win32'"]},
        "b": {"constraint-dependencies": ["new==2"]},
    }
