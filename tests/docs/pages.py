"""The documentation as its readers see it: pages, their commands and their tables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / ".github").rglob("*.md")])
PACKAGES = sorted({folder.parent.name for folder in ROOT.glob("*/__init__.py")} - {"benchmarks", "scripts", "tests"})
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")


def name(page: Path) -> str:
    """A page's path from the root of the repository."""
    return str(page.relative_to(ROOT))


def prose(text: str) -> str:
    """A page without its code blocks."""
    return FENCE.sub("", text)


def blocks(text: str, language: str) -> Iterator[str]:
    """The page's code blocks in a language."""
    return (code for found, code in FENCE.findall(text) if found == language)


def spans(text: str) -> Iterator[str]:
    """Code spans in the page's prose."""
    return iter(SPAN.findall(prose(text)))


def commands(text: str, program: str) -> Iterator[str]:
    """A program's invocations, without its name: in console blocks, after `uv run`, and in prose."""
    lines = (
        line.removeprefix("$ ").removeprefix("uv run ")
        for block in blocks(text, "console")
        for line in block.splitlines()
    )
    for candidate in (*lines, *(span.removeprefix("uv run ") for span in spans(text))):
        if candidate == program or candidate.startswith(program + " "):
            yield candidate.removeprefix(program).partition(" # ")[0].strip()


def section(text: str, heading: str) -> str:
    """Text under a heading, up to the next of the same level."""
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def commands_under(text: str, heading: str) -> list[list[str]]:
    """Commands that a section has its reader type, as words, without the answers that it shows."""
    lines = (line for block in blocks(section(text, heading), "console") for line in block.splitlines())
    return [shlex.split(line.removeprefix("$ "), comments=True) for line in lines if line.startswith("$ ")]


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its own two header lines."""
    lines = [line for line in section(text, heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").replace(r"\|", "\0").split("|")] for line in lines[2:]]
