"""The project's own Python, parsed once."""

from __future__ import annotations

import ast
import subprocess
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = (
    *("anchor_client/generated/", "anchor_client/solana/yellowstone/generated/", "clients/typescript/src/generated/"),
    *("dashboard/src/generated/", "indexer/dashboard/built/"),
)
WRITTEN = ("*.py", "*.rs", "*.ts", "*.svelte", "*.md", "*.toml")


@dataclass(frozen=True, slots=True)
class Source:
    """One file in git that somebody writes by hand."""

    name: str
    """Path from the project's root."""
    text: str
    tree: ast.Module

    @property
    def is_test(self) -> bool:
        return self.name.startswith("tests/")

    @property
    def module(self) -> str:
        """Dotted name by which others import it."""
        return self.name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def comments(self) -> Iterator[str]:
        """Comments that say something to a reader, not to a tool."""
        lines = iter(self.text.splitlines(keepends=True))
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            text = token.string.lstrip("# ")
            if token.type == tokenize.COMMENT and not text.startswith(("type:", "noqa", "!", "pragma")):
                yield text


def sources(root: Path = ROOT) -> list[Source]:
    """Every Python file in git, without what is generated."""
    return [Source(name, text, ast.parse(text)) for name, text in texts(root, "*.py").items()]


def texts(root: Path = ROOT, *patterns: str) -> dict[str, str]:
    """Texts of the files in git that somebody writes by hand, by path; without the changes of each version."""
    command = ["git", "ls-files", "-z", *(patterns or WRITTEN)]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    names = (name for name in sorted(set(filter(None, listed.split("\0")))) if not name.startswith(GENERATED))
    return {name: (root / name).read_text() for name in names if name != "CHANGELOG.md" and (root / name).is_file()}
