"""Formats generated Python: imports sorted, unused ones removed, lines of 120."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anchor_idl
from anchor_idl.codegen.errors import CodegenError

_SETTINGS = ("--isolated", "--no-cache", "--quiet", "--target-version", "py311", "--line-length", "120")


def format_folder(folder: Path) -> None:
    """Formats every module in a folder."""
    own = f'lint.isort.known-first-party = ["{anchor_idl.__name__}"]'
    _ruff("check", *_SETTINGS, "--config", own, "--select", "F,I", "--fix", str(folder))
    _ruff("format", *_SETTINGS, str(folder))


def _ruff(*arguments: str) -> None:
    result = subprocess.run(
        [sys.executable, "-P", "-m", "ruff", *arguments], capture_output=True, text=True, check=False
    )
    if result.returncode:
        raise CodegenError(f"the generated code is not valid:\n{result.stdout}{result.stderr}")
