"""Words and density: docstrings and doc comments that open with a question word; names that two classes share; what
stops a reader."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .sources import Source

QUESTIONS = frozenset(("what", "who", "whether", "whose", "which", "where", "how"))
RUST = re.compile(r"\s*//[/!](?!/)(.*)")
TYPESCRIPT = re.compile(r"/\*\*(?:\s|\*(?!/))*([^\n]*)")
BODIES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Docstring(NamedTuple):
    """A docstring, or a bare string under a field or constant."""

    file: str
    line: int
    text: str

    @property
    def opens_with_question(self) -> bool:
        """True where it says neither what something is nor what it does."""
        words = self.text.split(maxsplit=1)
        return bool(words) and words[0].strip(",.:;").lower() in QUESTIONS


def docstrings(source: Source) -> Iterator[Docstring]:
    """Every string that stands as a statement of its own."""
    for node in ast.walk(source.tree):
        if isinstance(node, BODIES):
            for each in node.body:
                if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                    text = each.value.value
                    if isinstance(text, str):
                        yield Docstring(source.name, each.lineno, text)


def doc_comments(texts: Mapping[str, str]) -> Iterator[Docstring]:
    """Every doc comment of files in Rust, TypeScript and Svelte, by path."""
    for file, text in texts.items():
        if not file.endswith(".rs"):
            for block in TYPESCRIPT.finditer(text):
                yield Docstring(file, text.count("\n", 0, block.start(1)) + 1, block[1])
            continue
        before = None
        for number, line in enumerate(text.splitlines(), 1):
            found = RUST.match(line)
            if found and before is None:
                yield Docstring(file, number, found[1].strip())
            before = found


def colliding_classes(files: Iterable[Source]) -> tuple[dict[str, list[str]], int]:
    """Names of classes that stand in several files outside tests, with their places; and the number of all classes.

    A name counts once for each file. Names with a leading underscore, which no other file sees, do not count.
    """
    places: dict[str, list[str]] = defaultdict(list)
    for source in files:
        if source.is_test:
            continue
        lines = {node.name: node.lineno for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)}
        for name, line in lines.items():
            if not name.startswith("_"):
                places[name].append(f"{source.name}:{line}")
    return {name: found for name, found in places.items() if len(found) > 1}, sum(map(len, places.values()))


def conditional_expressions(source: Source) -> int:
    """Expressions of the form `a if b else c`."""
    return sum(isinstance(node, ast.IfExp) for node in ast.walk(source.tree))


def tuple_assignments(source: Source) -> int:
    """Assignments of several values at once: `a, b = 1, 2`."""
    return sum(
        isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) and isinstance(node.targets[0], ast.Tuple)
        for node in ast.walk(source.tree)
    )
