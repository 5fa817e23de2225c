"""Version of a database's projections: a hash of what makes them, so that a change rebuilds them automatically.

Versions are in the order in which they made the tables, so that of two that run at once the older stops.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from indexer.errors import Superseded
from indexer.models import ProjectionVersion
from indexer.store.database import VERSION

MAKERS = ("indexer.index.handlers", "indexer.models")
"""The packages whose code says what the tables are and what an event does to them."""
RULES = (
    "anchor_client.rules",
    "anchor_client.projection",
    "anchor_client.kinds",
    "anchor_client.generated.constants",
    "anchor_client.generated.types",
)
"""Modules with the rules that they follow, as far as they import them."""


@cache
def current_version() -> str:
    """Of this version of the code, whatever it says to people."""
    digest = sha256()
    for name, source in sorted(made_by().items()):
        digest.update(f"{name}\n{_told(source)}\n".encode())
    return digest.hexdigest()


def made_by() -> dict[str, str]:
    """The code by its modules: the makers, and the rules that they import, themselves or by other rules."""
    found: dict[str, str] = {}
    waiting = [name for package in MAKERS for name in _modules(package)]
    while waiting:
        name = waiting.pop()
        if name in found or not name.startswith((*MAKERS, *RULES)):
            continue
        source = _source(name)
        if source is None:
            waiting += _modules(name)
            continue
        found[name] = source
        waiting += _imported(ast.parse(source))
    return found


def is_current(connection: Connection) -> bool:
    """True where the projections are those that this version of the code would make."""
    holding = select(ProjectionVersion.c.version).where(ProjectionVersion.c.holds)
    return connection.execute(holding).scalars().all() == [current_version()]


def keep_version(connection: Connection, version: str | None) -> None:
    """Records the version that has made the projections, from now on the newest; None: they are to be rebuilt."""
    connection.execute(update(ProjectionVersion.table).values(holds=False))
    if version is not None:
        own = ProjectionVersion.c.version == version
        others = select(func.max(ProjectionVersion.c.number)).where(~own)
        number = (connection.execute(others).scalar() or 0) + 1
        connection.execute(delete(ProjectionVersion.table).where(own))
        connection.execute(insert(ProjectionVersion.table).values(version=version, number=number, holds=True))


def guard(engine: Engine) -> Engine:
    """The same database, whose writers raise Superseded where a newer version has made the projections."""
    return engine.execution_options(**{VERSION: _require_newest})


def _require_newest(connection: Connection) -> None:
    """A version that has never made them is newer than all that have."""
    number = ProjectionVersion.c.number
    own = select(number).where(ProjectionVersion.c.version == current_version()).scalar_subquery()
    if connection.execute(select(number).where(number > own).limit(1)).first() is not None:
        raise Superseded


def _place(name: str) -> Traversable:
    package, *rest = name.split(".")
    return files(package).joinpath(*rest)


def _modules(package: str) -> list[str]:
    """Those of a package; none for what is none."""
    place = _place(package)
    if place.is_dir():
        return [f"{package}.{each.name[:-3]}" for each in place.iterdir() if each.name.endswith(".py")]
    return []


def _source(module: str) -> str | None:
    """None for a package, or a name in a module."""
    parent, _, name = module.rpartition(".")
    place = _place(parent)
    source = place / f"{name}.py" if place.is_dir() else None
    if source is not None and source.is_file():
        return source.read_text("utf-8")
    return None


def _imported(tree: ast.AST) -> Iterator[str]:
    """Modules, or names in them, whichever they are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _told(source: str) -> str:
    """The code without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _is_text(each)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
