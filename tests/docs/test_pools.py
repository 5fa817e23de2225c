"""The tables of shared pools say what the code and its settings do, and name the test that uses each pool up."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from tests.docs.bounds import NOT_SHARED, SIZED_ELSEWHERE
from tests.docs.pages import ROOT
from tests.docs.pools import SETTINGS, found, of_source

NAMED = re.compile(r"`([\w.]+)` = (\d+)")
SECTION = (ROOT / "docs" / "security.md").read_text().partition("## Shared pools\n")[2].partition("\n## ")[0]
ROWS = [line for line in SECTION.splitlines() if line.startswith("| ") and not line.startswith("| pool ")]
TOLD = {name for name, _ in NAMED.findall(SECTION)}


def test_pools__each__has_a_size() -> None:
    assert len(ROWS) >= 30 and all(NAMED.search(row.split("|")[2]) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_pools__each__has_a_test(row: str) -> None:
    file, _, name = row.split("|")[5].strip().strip("`").partition("::")
    assert f"def {name}(" in (ROOT / file).read_text()


@pytest.mark.parametrize(("name", "told"), NAMED.findall(SECTION))
def test_pools__sizes_and_shares__are_those_of_the_code(name: str, told: str) -> None:
    module, _, constant = name.rpartition(".")
    if module:
        found = getattr(import_module(module), constant)
    else:
        [found] = {getattr(settings(), name) for settings in SETTINGS if hasattr(settings, name)}
    assert int(found) == int(told)


def test_pools__everything_that_bounds_something_in_the_code__is_in_a_table_or_is_nobodys_shared_pool() -> None:
    assert not {name for name in found() if SIZED_ELSEWHERE.get(name, name) not in TOLD} - NOT_SHARED.keys()


def test_pools__what_is_left_out_of_the_tables__is_in_the_code_and_in_none() -> None:
    assert found() >= NOT_SHARED.keys() | SIZED_ELSEWHERE.keys()
    assert not (TOLD | SIZED_ELSEWHERE.keys()) & NOT_SHARED.keys()


@pytest.mark.parametrize(
    "text",
    [
        "MOST_GUESTS = 3",
        "MAX_GUESTS: Final = 3",
        "threads = ThreadPoolExecutor(3)",
        "room = asyncio.Semaphore(settings.guests)",
        "waiting = deque()",
        "line = queue.Queue(maxsize=3)",
        "engine = create_engine(url, pool_size=3)",
        "async def answer(): return await asyncio.to_thread(work)",
    ],
)
def test_pools__new_one__is_missed_in_the_tables(text: str) -> None:
    [name] = of_source("indexer.api.guests", text)
    assert name not in TOLD | NOT_SHARED.keys() | SIZED_ELSEWHERE.keys()


def test_pools__new_one_of_a_constants_size__is_missed_by_that_name() -> None:
    text = (
        "from indexer.inn import BEDS\nclass Guests:\n    def __init__(self):\n        self._t = NetworkTurns(BEDS + 1)"
    )
    assert [*of_source("indexer.api.guests", text)] == ["indexer.inn.BEDS"]
