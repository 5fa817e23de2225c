"""docs/index-and-api.md against the API: every path, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from indexer.api.main import create_app
from indexer.settings import IndexerSettings
from tests.docs.pages import PAGES, ROOT, name, spans

PATH = re.compile(r"(?<!\w)(/api/[\w{}/-]+|/health)")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    database = tmp_path_factory.mktemp("api") / "index.db"
    return set(create_app(IndexerSettings(database_url=f"sqlite:///{database}")).openapi()["paths"])


def named(page: Path) -> set[str]:
    return {path.rstrip("/") for span in spans(page.read_text()) for path in PATH.findall(span)}


def test_api__every_path__is_told(served: set[str]) -> None:
    assert served - named(ROOT / "docs" / "index-and-api.md") == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_documentation__paths_of_the_api__exist(page: Path, served: set[str]) -> None:
    assert {path for path in named(page) if not any(each.startswith(path) for each in served)} == set()
