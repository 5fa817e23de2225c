"""Packages generated for the IDLs of this folder, importable for the whole run."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from anchor_idl.codegen.output import GeneratedOutput
from anchor_idl.codegen.parse import parse_idl
from anchor_idl.codegen.python.package import package_files

IDLS = Path(__file__).parent / "idls"
PROGRAMS = ("bazaar", "relay")

Load = Callable[[str], ModuleType]


def read_idl(name: str) -> dict[str, Any]:
    """A fresh copy of an IDL in this folder."""
    data: dict[str, Any] = json.loads((IDLS / f"{name}.json").read_text())
    return data


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with one generated package for each IDL, on the import path."""
    root = tmp_path_factory.mktemp("generated")
    for name in PROGRAMS:
        GeneratedOutput.folder(root / f"generated_{name}", package_files(parse_idl(read_idl(name)))).write()
    sys.path.insert(0, str(root))
    yield root
    sys.path.remove(str(root))


@pytest.fixture(scope="session")
def load(generated: Path) -> Load:
    """Imports a module of a generated package, for example load("bazaar.accounts")."""
    return lambda path: importlib.import_module(f"generated_{path}")
