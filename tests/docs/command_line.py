"""The command line as the documentation is compared with it: every command, imported."""

from __future__ import annotations

from functools import cache

from typer.core import TyperCommand, TyperGroup

from market_cli.lazy import LazyCommand
from market_cli.main import command

Node = TyperCommand | TyperGroup


@cache
def root() -> TyperGroup:
    """`gpu-market` itself."""
    found = command()
    _import_all(found)
    return found


def member(group: TyperGroup, name: str) -> Node | None:
    """A command or group by name."""
    found = group.commands.get(name)
    return found if isinstance(found, TyperCommand | TyperGroup) else None


def _import_all(group: TyperGroup) -> None:
    for name, found in group.commands.items():
        if isinstance(found, TyperGroup):
            _import_all(found)
        elif isinstance(found, LazyCommand):
            group.commands[name] = found.load()
