"""The pictures and tables of docs/architecture.md against the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import PACKAGES, ROOT, rows

TEXT = (ROOT / "docs" / "architecture.md").read_text()
INSTRUCTIONS = ROOT / "programs" / "gpu_market" / "src" / "instructions"


WALLED = {
    "anchor_client/service": {"anchor_client.service"},
    "anchor_client/solana": {"anchor_client.service", "anchor_client.solana", "anchor_idl"},
    "localnet": {"anchor_client.service", "anchor_client.solana.yellowstone", "anchor_idl", "localnet"},
}
"""Allowed imports of the modules of a folder, within the project."""
INDEX = ("indexer.index",)
API = ("indexer.api", "indexer.accounts", "indexer.dashboard")
DECLARED = {
    "indexer.index.handlers.HANDLERS",  # the feed's topics are the areas of its handlers
    "indexer.index.proof.evidence.Evidence",
    "indexer.index.proof.evidence.evidence_of",
}
"""Allowed imports of the API from the index."""


def imported(file: Path) -> Iterator[str]:
    """The top-level packages that a module imports, wherever in it."""
    yield from (name.partition(".")[0] for name in names_imported(file))


def names_imported(file: Path) -> Iterator[str]:
    """The modules that a module imports, wherever in it, and the names that it takes from them."""
    package = file.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *filter(None, [node.module])])
            yield from (f"{module}.{each.name}" for each in node.names)


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


@pytest.mark.parametrize("folder", WALLED)
def test_architecture__walled_folder__imports_nothing_behind_its_wall(folder: str) -> None:
    inside = tuple(f"{package}." for package in WALLED[folder])
    files = list((ROOT / folder).rglob("*.py"))
    beyond = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for name in names_imported(file)
        if name.partition(".")[0] in PACKAGES and not name.startswith(inside)
    }
    assert files
    assert beyond == set()


def names_beyond(sides: tuple[str, ...], others: tuple[str, ...]) -> set[str]:
    """Names that the modules of some packages import from others."""
    beyond = tuple(f"{package}." for package in others)
    folders = (ROOT / side.replace(".", "/") for side in sides)
    return {
        name
        for folder in folders
        for file in folder.rglob("*.py")
        for name in names_imported(file)
        if name.startswith(beyond)
    }


def test_architecture__index_and_api__meet_where_it_is_declared() -> None:
    assert names_beyond(INDEX, API) == set()
    assert names_beyond(API, INDEX) == DECLARED
    assert names_beyond(("indexer.store", "indexer.changes", "indexer.models", "indexer.export"), INDEX + API) == set()


def test_architecture__areas__are_the_programs() -> None:
    areas = [row[0] for row in rows(TEXT, "Nine areas, one name each")]
    assert sorted(areas) == sorted(folder.name for folder in INSTRUCTIONS.iterdir() if folder.is_dir())
