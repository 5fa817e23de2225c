"""Names and tables of a generated package, whose modules are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

Entry = TypeVar("Entry")
Place = tuple[str, str]
"""A module of the package, or with a dot before it one beside the package, and a name in it."""


def importer(package: str, places: Iterable[Place]) -> Callable[[str], Any]:
    """The package's `__getattr__`: finds each name in its module, once."""
    modules = {name: module for module, name in places}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f".{modules[name]}", package), name)
        setattr(sys.modules[package], name, found)
        return found

    return find


class LazyTable(Mapping[bytes, Entry]):
    """Definitions of a package, by discriminator."""

    def __init__(self, package: str, places: Mapping[bytes, Place]) -> None:
        self.places = places
        self._package = package
        self._found: dict[bytes, Entry] = {}

    def __getitem__(self, discriminator: bytes) -> Entry:
        if discriminator not in self._found:
            module, name = self.places[discriminator]
            self._found[discriminator] = getattr(import_module(f".{module}", self._package), name)
        return self._found[discriminator]

    def get(self, discriminator: bytes, default: Any = None) -> Any:
        """As of any mapping, by one look for what has been used before."""
        found = self._found.get(discriminator)
        return super().get(discriminator, default) if found is None else found

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)
