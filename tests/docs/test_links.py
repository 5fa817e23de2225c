"""Links within the documentation lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, name, prose

LINK = re.compile(r"\]\(([^)\s]+)\)")
PUNCTUATION = re.compile(r"[^\w\- ]")
PATH = re.compile(r"`((?:[a-z_.]+/)+[a-z_.]*|[a-z_][a-z_./]*\.(?:py|rs|md|toml|json|sh))`")


def anchors(page: Path) -> set[str]:
    """The fragments that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", prose(page.read_text()), re.MULTILINE)
    return {PUNCTUATION.sub("", heading.lower()).replace(" ", "-") for heading in headings}


def is_dead(page: Path, link: str) -> bool:
    if "://" in link or link.startswith("mailto:"):
        return False
    path, _, fragment = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return not target.exists() or bool(fragment and fragment not in anchors(target))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_documentation__links__lead_somewhere(page: Path) -> None:
    assert [link for link in LINK.findall(prose(page.read_text())) if is_dead(page, link)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=name)
def test_documentation__paths__exist(page: Path) -> None:
    """Files and folders of the repository that a page names, but those that commands make."""
    found = (path for path in PATH.findall(prose(page.read_text())) if not path.startswith("build/"))
    named = [path for path in found if (ROOT / path.split("/")[0]).exists()]
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_documentation__every_page__is_reached_from_the_readme() -> None:
    linked = {(ROOT / link.partition("#")[0]).resolve() for link in LINK.findall((ROOT / "README.md").read_text())}
    assert set((ROOT / "docs").glob("*.md")) - linked == set()
