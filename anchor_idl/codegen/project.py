"""Paths of the generator's inputs and outputs in a project."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

from anchor_idl.codegen.errors import CodegenError


@dataclass(frozen=True, slots=True)
class Project:
    """Paths from the project's folder: the program, its address rules, its IDL in both forms and the Python package."""

    program: Path
    rules: Path
    idl: Path
    legacy: Path
    package: Path


def load_project(pyproject: Path) -> Project:
    """[tool.anchor-idl] of a pyproject.toml; CodegenError if it is not there, or not all of it."""
    try:
        settings = tomllib.loads(pyproject.read_text())["tool"]["anchor-idl"]
        return Project(**{field.name: Path(settings.pop(field.name)) for field in fields(Project)}, **settings)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        names = ", ".join(field.name for field in fields(Project))
        raise CodegenError(
            f"{pyproject} needs a [tool.anchor-idl] with {names}, and nothing else: {error!r}"
        ) from error
