"""Parameters of a command, read from its source without the imports that only its body needs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import copy
from typing import Any


def signature(module: ast.Module, command: ast.AsyncFunctionDef) -> Callable[..., Any]:
    """A function with only the arguments and the docstring of a command, and an untyped session. From the module it
    includes the imports and variables that defaults and annotations name.
    """
    session, *_ = command.args.args
    session.annotation = None
    command.returns = None
    command.decorator_list = []
    command.body = command.body[:1]
    namespace: dict[str, Any] = {}
    reduced = ast.Module([*_needed(module, command), command], type_ignores=[])
    exec(compile(reduced, command.name, "exec", dont_inherit=True), namespace)
    function: Callable[..., Any] = namespace[command.name]
    return function


def _needed(module: ast.Module, command: ast.AsyncFunctionDef) -> list[ast.stmt]:
    """The statements that define the names in a command's arguments, in the module's order."""
    bound = [*_bound(module)]
    giving = dict(bound)
    needed = set[ast.stmt]()
    asked = [*_names(command.args)]
    while asked:
        statement = giving.get(asked.pop())
        if statement is not None and statement not in needed:
            needed.add(statement)
            asked += _names(statement)
    return [*dict.fromkeys(statement for _, statement in bound if statement in needed)]


def _bound(module: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """The names of a module with their defining statements, imports split by name; commands are excluded."""
    for statement in module.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                alone = copy(statement)
                alone.names = [alias]
                yield alias.asname or alias.name, alone
        elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement.name, statement
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            for name in _names(statement, ast.Store):
                yield name, statement


def _names(node: ast.AST, context: type[ast.expr_context] = ast.Load) -> Iterator[str]:
    return (found.id for found in ast.walk(node) if isinstance(found, ast.Name) and isinstance(found.ctx, context))
