"""Commands that are imported on their first call; help and completion read them from the source.

A command is an `@acting` coroutine function; `file:name` says where it is, and `file` alone that both are called the
same. A group is a package whose docstring is its help and whose COMMANDS names its commands and subpackages, in the
order that help shows; DEFAULT, if it has one, is the command where none is named, or with DEFAULT_TAKES_FILE something
that is not a command.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, TypeGuard, cast

import typer
from typer.core import TyperCommand, TyperGroup

ROOT = Path(__file__).parent.parent


def load(target: str) -> Any:
    """Imports the object that `package.module:attribute` names."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


class LazyCommand(TyperCommand):
    """Placeholder for the command at `module:name` in its group; imports it when called."""

    def __init__(self, path: str, panel: str | None = None) -> None:
        super().__init__(command_name(path), rich_help_panel=panel)
        self._module = path.partition(":")[0]

    def read_help(self) -> None:
        """Sets the help from the source."""
        self.help = ast.get_docstring(_function(self._source, self.name or ""))

    def read(self) -> TyperCommand:
        """The command as its source says that it is called, which imports the rest once it is."""
        source = self._source
        function = _function(source, self.name or "")
        whole = f"{self._module}:{function.name}"
        return self._made(
            load("market_cli.acting:deferred")(load("market_cli.signature:signature")(source, function), whole)
        )

    def load(self) -> TyperCommand:
        """The command itself, imported."""
        return self._made(load(f"{self._module}:{_function(self._source, self.name or '').name}"))

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """The context of the command as it is read, which is what then runs."""
        return self.read().make_context(*arguments, **options)

    def _made(self, command: Callable[..., None]) -> TyperCommand:
        app = typer.Typer(add_completion=False)
        app.command(self.name)(command)
        return cast(TyperCommand, typer.main.get_command(app))

    @cached_property
    def _source(self) -> ast.Module:
        return ast.parse(ROOT.joinpath(*self._module.split(".")).with_suffix(".py").read_text("utf-8"))


class LazyGroup(TyperGroup):
    """A group of commands that are not imported yet. With a `default`, that is called where none is named."""

    default: str | None = None
    default_takes_file = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Names the default command where the arguments name none and do not ask for help."""
        named = not args or args[0].startswith("-") or (self.default_takes_file and args[0] not in self.commands)
        if self.default and named and args[:1] != ["--help"]:
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name, with its help; None for a name that there is not."""
        command = super().get_command(ctx, cmd_name)
        if isinstance(command, LazyCommand):
            command.read_help()
        return command


def commands_of(paths: Sequence[str], panel: str | None = None) -> Mapping[str, TyperCommand | TyperGroup]:
    """Commands of functions and groups of packages, by name."""
    made = (_group(path, panel) if _is_package(path) else LazyCommand(path, panel) for path in paths)
    return {command.name or "": command for command in made}


def command_name(path: str) -> str:
    """The name under which a function's command is called."""
    return re.split("[.:]", path)[-1].replace("_", "-")


def _group(package: str, panel: str | None) -> LazyGroup:
    found = import_module(package)
    group = LazyGroup(
        name=command_name(package),
        help=found.__doc__,
        commands=dict(commands_of([f"{package}.{name}" for name in found.COMMANDS])),
        no_args_is_help=True,
        rich_help_panel=panel,
    )
    group.default = getattr(found, "DEFAULT", None)
    group.default_takes_file = getattr(found, "DEFAULT_TAKES_FILE", False)
    return group


def _is_package(path: str) -> bool:
    return ROOT.joinpath(*path.split(".")).is_dir()


def _function(source: ast.Module, name: str) -> ast.AsyncFunctionDef:
    return next(node for node in source.body if _is_command(node, name))


def _is_command(node: ast.stmt, name: str) -> TypeGuard[ast.AsyncFunctionDef]:
    """True where a function is the command of a name; one that Python has taken is followed by an underscore."""
    return isinstance(node, ast.AsyncFunctionDef) and node.name.rstrip("_") == name.replace("-", "_")
