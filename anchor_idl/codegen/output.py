"""Writes generated files, or reports how those on disk differ."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anchor_idl.codegen.errors import CodegenError
from anchor_idl.codegen.python.text import HEADER

_BYTES = re.compile(r"\[\n(?:\s+\d+,\n)*\s+\d+\n\s*\]")
CACHES = frozenset(["__pycache__"])


@dataclass(frozen=True, slots=True)
class GeneratedOutput:
    """A generated file or, if `owned`, a folder in which every file is generated."""

    target: Path
    files: Mapping[str, str]
    owned: bool

    @classmethod
    def file(cls, target: Path, content: str) -> GeneratedOutput:
        """One file; its neighbours are left alone."""
        return cls(target.parent, {target.name: content}, owned=False)

    @classmethod
    def folder(cls, target: Path, files: Mapping[str, str]) -> GeneratedOutput:
        """A whole folder; files that are no longer generated are deleted."""
        return cls(target, files, owned=True)

    def write(self) -> None:
        """Brings the disk up to date; CodegenError if the folder has files that were never generated."""
        superfluous = [self.target / path for path in self._superfluous()]
        foreign = [str(file) for file in superfluous if not file.read_bytes().startswith(HEADER.encode())]
        if foreign:
            raise CodegenError(f"not generated, so not deleted; move it out of the folder: {', '.join(foreign)}")
        for file in superfluous:
            file.unlink()
        for path, content in self.files.items():
            file = self.target / path
            if not file.exists() or file.read_text() != content:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content)

    def differences(self) -> list[str]:
        """One line for each file that differs, with how many lines would come and go."""
        found = [f"{self.target / path}: is not generated" for path in self._superfluous()]
        for path, content in sorted(self.files.items()):
            file = self.target / path
            if not file.exists():
                found.append(f"{file}: is missing")
            elif (current := file.read_text()) != content:
                found.append(f"{file}: {_summary(current, content)}")
        return found

    def _superfluous(self) -> list[str]:
        if not self.owned or not self.target.exists():
            return []
        present = (path for path in self.target.rglob("*") if path.is_file() and not CACHES & set(path.parts))
        return sorted(path for file in present if (path := file.relative_to(self.target).as_posix()) not in self.files)


def json_text(data: Mapping[str, Any]) -> str:
    """An IDL as it is committed: lists of bytes on one line."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return _BYTES.sub(lambda found: " ".join(found[0].split()).replace("[ ", "[").replace(" ]", "]"), text) + "\n"


def _summary(current: str, wanted: str) -> str:
    lines = list(difflib.unified_diff(current.splitlines(), wanted.splitlines(), lineterm="", n=0))[2:]
    added = sum(line.startswith("+") for line in lines)
    removed = sum(line.startswith("-") for line in lines)
    first = next((line for line in lines if line[0] in "+-"), "")
    return f"+{added} -{removed}, first {first[:100]!r}"
