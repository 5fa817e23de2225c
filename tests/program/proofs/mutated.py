"""Looks for inputs that break a property once a rule is changed as a mutation says; fails unless there are.

Usage: python -m tests.program.proofs.mutated NAME
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

from scripts.mutation.listed import Mutation

LIST = Path(__file__).with_name("mutations.toml")


@dataclass(frozen=True, slots=True)
class RuleMutation(Mutation):
    """A change of a rule, and the property that it must break."""

    breaks: str = ""
    """Name of the property."""

    @property
    def module(self) -> str:
        """Full name of the changed module."""
        return self.file.removesuffix(".py").replace("/", ".")


def read() -> dict[str, RuleMutation]:
    """The mutations by name."""
    listed = tomllib.loads(LIST.read_text())["mutation"]
    return {each["name"]: RuleMutation(invariant="", tests=(), **each) for each in listed}


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, mutation: RuleMutation) -> None:
        self._mutation = mutation

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != self._mutation.module:
            return None
        spec = PathFinder.find_spec(name, path)
        assert spec is not None and spec.origin is not None
        return importlib.util.spec_from_file_location(
            name, spec.origin, loader=_Loader(self._mutation, name, spec.origin)
        )


class _Loader(SourceFileLoader):
    def __init__(self, mutation: RuleMutation, name: str, path: str) -> None:
        super().__init__(name, path)
        self._mutation = mutation

    def get_code(self, fullname: str):  # type: ignore[no-untyped-def]
        return compile(self._mutation.apply(Path(self.path).read_text()), self.path, "exec")


def main() -> None:
    """Proves the mutation's property with the rule changed."""
    mutation = read()[sys.argv[1]]
    sys.meta_path.insert(0, _Finder(mutation))
    from tests.program.proofs import properties  # noqa: F401, PLC0415
    from tests.program.proofs.search import prove  # noqa: PLC0415
    from tests.program.proofs.stated import STATED  # noqa: PLC0415

    result = prove(STATED[mutation.breaks].claims)
    if result.inputs is None:
        sys.exit(f"NOT BROKEN {mutation.name}: {result.unknown or 'proved'}")
    print(f"{result.seconds:6.2f} s  {mutation.name}: {mutation.breaks} ({result.broken})")
    print("         ", ", ".join(f"{name}={value}" for name, value in result.inputs.items()))


if __name__ == "__main__":
    main()
