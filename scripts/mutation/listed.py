"""The list of mutations, docs/mutations.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .failure import Failure

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "docs" / "mutations.toml"


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of one file, given from the root of the repository, and the tests that must notice it."""

    name: str
    invariant: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def changes_program(self) -> bool:
        return self.file.endswith(".rs")

    def apply(self, source: str) -> str:
        return source.replace(self.old, self.new)


def mutations() -> list[Mutation]:
    entries = tomllib.loads(LIST.read_text())["mutation"]
    return [Mutation(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


def unremovable() -> dict[str, str]:
    """Invariants without a check of their own, with the reason."""
    return dict(tomllib.loads(LIST.read_text()).get("unremovable", {}))


def require_one_place(found: Sequence[Mutation]) -> None:
    """Failure unless each mutation's old text occurs exactly once in its file."""
    for each in found:
        count = (ROOT / each.file).read_text().count(each.old)
        if count != 1:
            raise Failure(f"{each.name}: {each.file} has {count} places like {each.old!r} instead of one")


def chosen(known: Sequence[Mutation], wanted: Sequence[str]) -> list[Mutation]:
    """Mutations by name or invariant id; all if none is wanted. Failure for an unknown one."""
    unknown = set(wanted) - {each.name for each in known} - {each.invariant for each in known}
    if unknown:
        raise Failure(f"no such mutation: {', '.join(sorted(unknown))}")
    return [each for each in known if not wanted or each.name in wanted or each.invariant in wanted]
