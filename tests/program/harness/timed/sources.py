"""Functions of the program that compare or measure times, as its sources have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from scripts.mutation.items import item_around, items

SOURCES: Final = Path(__file__).parents[4] / "programs/gpu_market/src"
_TIME: Final = r"\b(?:(?<!\.)(?:now|at)|now\.at|moment\.at|unix_timestamp)\b"
_COMPARISON: Final = re.compile(
    rf"""{_TIME}(?!\.)\s*(?:<=|>=|==|!=|<(?!<)|>(?!>))   # now < then
    |(?:[^-=<>!](?:<|>)|<=|>=|==|!=)\s*{_TIME}(?!\.)      # then < now
    |{_TIME}\s*\.(?:min|max|clamp|cmp|abs_diff|\w+_sub)\( # now.min(then)
    |\.(?:min|max|clamp|cmp|abs_diff|\w+_sub)\(\s*{_TIME} # then.min(now)
    |\b(?:seconds_between|math::day)\(                    # measured""",
    re.VERBOSE,
)
_COMMENT: Final = re.compile(r"//[^\n]*")
_TESTS: Final = "#[cfg(test)]"


def time_comparisons() -> set[str]:
    """`file::item` of each."""
    return {found for file in sorted(SOURCES.rglob("*.rs")) for found in _of(file)}


def _of(file: Path) -> Iterator[str]:
    source = _COMMENT.sub(lambda comment: " " * len(comment[0]), file.read_text().partition(_TESTS)[0])
    found = items(file.name, source)
    for place in _COMPARISON.finditer(source):
        item = item_around(found, place.start(), place.end())
        assert item is not None, (file, place[0])
        yield f"{file.relative_to(SOURCES)}::{item.path}"
