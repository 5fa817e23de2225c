"""The list of mutations, docs/mutations.toml."""

from __future__ import annotations

import subprocess
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .failure import Failure
from .items import Item, item_around, items

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "docs" / "mutations.toml"
REQUIRED = frozenset(("name", "at", "old", "tests"))
MOST_PLACES = 3
"""Places that a message names."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change within one named item, and the tests that must notice it."""

    invariant: str
    name: str
    at: str
    """File, from the root of the repository, and item: `keeper/cranks.py::Cranks::run`."""
    old: str
    tests: tuple[str, ...]
    new: str = ""

    @property
    def file(self) -> str:
        return self.at.partition("::")[0]

    @property
    def changes_program(self) -> bool:
        return self.file.endswith(".rs")

    def place(self, source: str) -> tuple[Item, int]:
        """The item of a source that has the old text, and the text's position. Failure unless there is just one."""
        path = self.at.partition("::")[2]
        found = [item for item in _items(self.file, source) if item.path == path]
        count = sum(source.count(self.old, item.start, item.end) for item in found)
        if count != 1:
            raise Failure(f"{self.name}: {self.at} has {count} places like {self.old!r} instead of one")
        item = next(item for item in found if self.old in source[item.start : item.end])
        return item, source.index(self.old, item.start)

    def apply(self, source: str) -> str:
        _, start = self.place(source)
        return source[:start] + self.new + source[start + len(self.old) :]


_items = cache(items)


def mutations() -> list[Mutation]:
    """Every entry, under the id of its invariant. Failure where one lacks a key or has another."""
    found = []
    for invariant, entries in tomllib.loads(LIST.read_text()).items():
        for entry in entries if invariant != "unremovable" else ():
            if entry.keys() - {"new"} != REQUIRED:
                has = f"{entry.get('name', 'an entry')!r} stands under [[{invariant}]] with {', '.join(entry)}"
                raise Failure(
                    f"{LIST.name}: {has}; "
                    "an entry stands under the id of its invariant, with name, at, old, new and tests"
                )
            found.append(Mutation(**{"invariant": invariant, **entry, "tests": tuple(entry["tests"])}))
    return found


def unremovable() -> dict[str, str]:
    """Invariants without a check of their own, with the reason."""
    return dict(tomllib.loads(LIST.read_text()).get("unremovable", {}))


def require_one_place(found: Sequence[Mutation]) -> None:
    """Failure unless each mutation's old text occurs exactly once in its item; says where such text is now."""
    lost = []
    for each in found:
        try:
            each.place((ROOT / each.file).read_text() if (ROOT / each.file).is_file() else "")
        except Failure as failure:
            now = list(_places(each))[:MOST_PLACES]
            lost.append(f"{failure}; " + (f"such text is now at {', '.join(now)}" if now else "no file has such text"))
    if lost:
        raise Failure("\n".join(lost))


def chosen(known: Sequence[Mutation], wanted: Sequence[str]) -> list[Mutation]:
    """Mutations by name or invariant id; all if none is wanted. Failure for an unknown one."""
    unknown = set(wanted) - {each.name for each in known} - {each.invariant for each in known}
    if unknown:
        raise Failure(f"no such mutation: {', '.join(sorted(unknown))}")
    return [each for each in known if not wanted or each.name in wanted or each.invariant in wanted]


def redundant(found: Sequence[Mutation]) -> list[Mutation]:
    """Mutations whose every test is also named for another mutation of the same invariant, so that none needs them."""
    named: dict[str, Counter[str]] = defaultdict(Counter)
    for each in found:
        named[each.invariant].update(each.tests)
    return [each for each in found if all(named[each.invariant][test] > 1 for test in each.tests)]


def _places(mutation: Mutation) -> Iterator[str]:
    """Items of any file that have the mutation's old text."""
    suffix = Path(mutation.file).suffix
    listed = subprocess.run(["git", "ls-files", f"*{suffix}"], cwd=ROOT, check=True, capture_output=True, text=True)
    for file in listed.stdout.splitlines():
        source = (ROOT / file).read_text() if (ROOT / file).is_file() else ""
        start = source.find(mutation.old)
        if start >= 0:
            around = item_around(items(file, source), start, start + len(mutation.old))
            yield f"{file}::{around.path}" if around else file
