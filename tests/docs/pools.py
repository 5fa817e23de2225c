"""Everything in the services' sources that looks like a pool: what bounds it, or where it is made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from indexer.settings import IndexerSettings
from keeper.settings import KeeperSettings
from tests.docs.pages import ROOT

SOURCES: Final = ("indexer", "keeper", "host_agent", "anchor_client/service", "anchor_client/solana")
"""Of the services, and of what they share."""
SETTINGS: Final = (IndexerSettings, KeeperSettings)
MADE: Final = frozenset(
    (
        *("Thread", "ThreadPoolExecutor", "ProcessPoolExecutor", "create_engine"),
        *("Semaphore", "BoundedSemaphore", "Lock", "Condition", "NetworkTurns", "Shares"),
        *("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue", "deque", "lru_cache"),
    )
)
"""Calls that make a pool, a queue or something that one has at a time."""
BORROWED: Final = frozenset(("to_thread", "in_thread", "run_in_executor"))
"""Calls that use threads; the event loop's own, where none are given."""
BOUND: Final = re.compile(r"(^|_)(MAX|MOST|LARGEST|KEPT|KNOWN|POOL)(_|$)")
SET: Final = re.compile(r"(^|_)(max|most|per|concurrency|clients|requests|gifts|workers)(_|$)")


@cache
def found() -> frozenset[str]:
    """Names of constants and settings; `module:call` of what is made with neither."""
    files = [file for folder in SOURCES for file in sorted((ROOT / folder).rglob("*.py"))]
    names = {name for file in files for name in of_source(_module(file), file.read_text())}
    settings = {name for each in SETTINGS for name in each.__dataclass_fields__ if SET.search(name)}
    return frozenset(names | settings)


def of_source(module: str, text: str) -> Iterator[str]:
    """Those of a module: the constant that sizes each pool, bounds of any kind, and pools that no constant sizes."""
    tree = ast.parse(text)
    known = {name: f"{module}.{name}" for node in tree.body for name in _assigned(node)} | _imported(tree)
    yield from (known[name] for node in tree.body for name in _assigned(node) if BOUND.search(name))
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        name = _called(call.func)
        sizes = {known[each] for each in _names(call) if each in known}
        if name in MADE:
            yield from sizes or {f"{module}:{name}"}
        elif name == "__init__":
            yield from sizes  # of a class that makes a pool of the size that it is given
        elif name in BORROWED and module.startswith("indexer.api."):
            yield f"{module}:{name}"


def _module(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def _assigned(node: ast.stmt) -> list[str]:
    """Constants that a statement of a module gives a value."""
    if isinstance(node, ast.Assign):
        names = [each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)]
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        names = [node.target.id]
    else:
        names = []
    return [name for name in names if name.isupper()]


def _imported(tree: ast.Module) -> dict[str, str]:
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {
        each.asname or each.name: f"{node.module}.{each.name}"
        for node in imports
        for each in node.names
        if each.name.isupper()
    }


def _called(called: ast.expr) -> str:
    return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""


def _names(call: ast.Call) -> Iterator[str]:
    """Names and attributes in a call's arguments."""
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        for node in ast.walk(argument):
            if isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.Attribute):
                yield node.attr
