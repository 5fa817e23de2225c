"""Which projections a database has: a hash of what makes them, so that a change of it rebuilds them by itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from sqlalchemy import Connection, delete, insert, select

from indexer.models import ProjectionVersion

MAKERS = ("handlers", "models")
"""The folders whose code says what the tables are and what an event does to them."""


@cache
def current_version() -> str:
    """Of this version of the code, whatever it says to people."""
    digest = sha256()
    for folder in MAKERS:
        for source in sorted(_sources(files("indexer") / folder), key=lambda each: each.name):
            digest.update(f"{folder}/{source.name}\n{_told(source.read_text('utf-8'))}\n".encode())
    return digest.hexdigest()


def is_current(connection: Connection) -> bool:
    """Whether the projections are those that this version of the code would make."""
    return connection.execute(select(ProjectionVersion.c.version)).scalars().all() == [current_version()]


def keep_version(connection: Connection, version: str | None) -> None:
    """Writes down of which version the projections are; None for none, so that they are rebuilt."""
    connection.execute(delete(ProjectionVersion.table))
    if version is not None:
        connection.execute(insert(ProjectionVersion.table).values(version=version))


def _sources(folder: Traversable) -> Iterator[Traversable]:
    return (each for each in folder.iterdir() if each.name.endswith(".py"))


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
