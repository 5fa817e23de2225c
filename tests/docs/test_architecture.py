"""The pictures and tables of docs/architecture.md against the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.docs.pages import PACKAGES, ROOT, rows

TEXT = (ROOT / "docs" / "architecture.md").read_text()
INSTRUCTIONS = ROOT / "programs" / "gpu_market" / "src" / "instructions"


def imported(file: Path) -> Iterator[str]:
    """The top-level packages that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_architecture__imports__are_as_pictured() -> None:
    picture = TEXT.partition("## Who imports whom")[2].partition("## ")[0]
    pictured = set(re.findall(r"^  (\w+) --> (\w+)$", picture, re.MULTILINE))
    actual = {
        (package, target)
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        for target in imported(file)
        if target in PACKAGES and target != package
    }
    assert pictured == actual


def test_architecture__areas__are_the_programs() -> None:
    areas = [row[0] for row in rows(TEXT, "Nine areas, one name each")]
    assert sorted(areas) == sorted(folder.name for folder in INSTRUCTIONS.iterdir() if folder.is_dir())
