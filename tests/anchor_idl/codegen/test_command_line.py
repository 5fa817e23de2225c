"""`python -m anchor_idl.codegen`, as make runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from anchor_idl.codegen.output import json_text

from .conftest import IDLS, read_idl

ROOT = Path(__file__).parents[3]
SETTINGS = """
[tool.anchor-idl]
program = "programs/bazaar"
rules = "idl/addresses.toml"
idl = "idl/bazaar.json"
legacy = "idl/bazaar.anchorpy.json"
package = "client/generated"
"""


def codegen(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "anchor_idl.codegen", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a committed IDL and everything generated from it."""
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    (tmp_path / "idl").mkdir()
    (tmp_path / "idl/bazaar.json").write_text(json_text(read_idl("bazaar")))
    result = codegen(tmp_path, "generate", "--from-idl")
    assert result.returncode == 0, result.stderr
    return tmp_path


def test_generate__from_idl__writes_the_old_form_and_the_package(project: Path) -> None:
    assert (project / "idl/bazaar.anchorpy.json").exists()
    assert (project / "client/generated/instructions/_place_order.py").exists()


def test_generate__check_of_what_is_generated__is_silent(project: Path) -> None:
    result = codegen(project, "generate", "--from-idl", "--check")

    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_generate__check_of_what_is_edited__lists_files_and_exits_1(project: Path) -> None:
    package = project / "client/generated"
    (package / "program.py").write_text((package / "program.py").read_text() + "EDITED = True\n")
    (package / "pdas.py").unlink()
    (package / "stray.py").write_text("")

    result = codegen(project, "generate", "--from-idl", "--check")

    assert result.returncode == 1
    assert "program.py: +0 -1, first '-EDITED = True'" in result.stdout
    assert "pdas.py: is missing" in result.stdout
    assert "stray.py: is not generated" in result.stdout
    assert (package / "stray.py").exists(), "a check changes nothing"


def test_generate__after_edits__puts_everything_right(project: Path) -> None:
    package = project / "client/generated"
    (package / "old.py").write_text((package / "program.py").read_text())
    (package / "program.py").write_text("")

    assert codegen(project, "generate", "--from-idl").returncode == 0

    assert not (package / "old.py").exists()
    assert codegen(project, "generate", "--from-idl", "--check").returncode == 0


def test_generate__settings_missing__names_them(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(SETTINGS.replace("package", "packages"))

    result = codegen(tmp_path, "generate", "--from-idl")

    assert result.returncode == 1
    assert "needs a [tool.anchor-idl] with program, rules, idl, legacy, package" in result.stderr


def test_python__folder_with_other_files__deletes_none_of_them(project: Path) -> None:
    (project / "notes.txt").write_text("mine")

    result = codegen(project, "python", "--idl", str(IDLS / "relay.json"), "--out", ".")

    assert result.returncode == 1
    assert "not generated, so not deleted" in result.stderr
    assert (project / "notes.txt").exists()
    assert (project / "client/generated/pdas.py").exists()


def test_python__any_idl__writes_a_package(tmp_path: Path) -> None:
    result = codegen(tmp_path, "python", "--idl", str(IDLS / "relay.json"), "--out", "relay")

    assert result.returncode == 0, result.stderr
    assert (tmp_path / "relay/accounts/class_.py").exists()


def test_python__unsupported_idl__is_one_line_on_stderr(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text('{"version": "0.1.0"}')

    result = codegen(tmp_path, "python", "--idl", "old.json", "--out", "old")

    assert result.returncode == 1
    assert result.stderr == "error: metadata.spec or address is missing: the IDL is older than Anchor 0.30\n"


def test_complete_and_legacy__steps_alone__read_and_write_the_files_given(tmp_path: Path) -> None:
    shutil.copy(IDLS / "bazaar.json", tmp_path / "raw.json")
    (tmp_path / "rules.toml").write_text('passed = ["mint", "referrer", "mint_of_oracle", "oracle_program"]\n')

    completed = codegen(tmp_path, "complete", "--idl", "raw.json", "--rules", "rules.toml", "--out", "full.json")
    old = codegen(tmp_path, "legacy", "--idl", "full.json", "--out", "old.json")

    assert (completed.returncode, old.returncode) == (0, 0), completed.stderr + old.stderr
    assert (tmp_path / "full.json").read_text() == json_text(read_idl("bazaar"))


def test_json_text__lists_of_bytes__are_on_one_line() -> None:
    text = json_text({"a": [1, 2], "b": ["x"], "c": [[3], []], "d": "[\n 1\n]"})

    assert (
        text == '{\n  "a": [1, 2],\n  "b": [\n    "x"\n  ],\n  "c": [\n    [3],\n    []\n  ],\n  "d": "[\\n 1\\n]"\n}\n'
    )


@pytest.mark.parametrize("text", ["[]", "null", '"idl"', "{", "", "[" * 100_000], ids=lambda text: text[:6])
def test_python__file_that_is_no_idl__says_so_in_a_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "kiosk.json").write_text(text)
    result = codegen(tmp_path, "python", "--idl", "kiosk.json", "--out", "kiosk")
    assert result.returncode == 1
    assert result.stderr.startswith("error: kiosk.json ") and len(result.stderr.splitlines()) == 1
