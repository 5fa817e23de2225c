"""Cost of a change: hand-written files that name an instruction of the program, or a path of the API.

A file names an instruction if a word of it is the instruction's, in snake, camel or Pascal case, and names a path if
the path stands in it up to its first parameter. Many only use it: a test that needs a rental names `open_rental`. The
edits that an instruction takes are its own files, which have its name, and those that list most of its area's. Medians,
as common words such as `vote` count for too much.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median_low

from .sources import ROOT

WORD = re.compile(r"[A-Za-z_]\w*")
BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
AREAS = "programs/gpu_market/src/instructions/"
"""Folder of the instructions: a folder for each area, a file for each instruction."""
PATH = re.compile(r"/api/[\w/-]*\w")


def of_instruction(texts: Mapping[str, str], root: Path = ROOT) -> str:
    """Files for each of the IDL's instructions."""
    idl = json.loads((root / "idl/gpu_market.json").read_text())
    return _medians({each["name"] for each in idl["instructions"]}, texts, _snake)


def of_listed(texts: Mapping[str, str]) -> str:
    """Files for each instruction that are its own or name at least half of its area's."""
    areas: dict[str, set[str]] = {}
    for file in texts:
        area, _, name = file.removeprefix(AREAS).removesuffix(".rs").partition("/")
        if file.startswith(AREAS) and name not in ("", "mod"):
            areas.setdefault(area, set()).add(name)
    counted: dict[str, set[str]] = {name: set() for names in areas.values() for name in names}
    for file, text in texts.items():
        words = _snake(text)
        for names in areas.values():
            listed = names & words if 2 * len(names & words) >= len(names) else set()
            for name in listed | (names & {Path(file).stem.removeprefix("test_")}):
                counted[name].add(file)
    outside = median_low(sum(not file.startswith("tests/") for file in files) for files in counted.values())
    return f"{median_low(map(len, counted.values()))}, {outside} of them outside tests"


def of_path(texts: Mapping[str, str], root: Path = ROOT) -> str:
    """Files for each of the API's paths."""
    paths = json.loads((root / "idl/openapi.json").read_text())["paths"]
    return _medians({found.group() for path in paths if (found := PATH.match(path))}, texts, _paths)


def _medians(names: set[str], texts: Mapping[str, str], words: Callable[[str], set[str]]) -> str:
    named = {file: names & words(text) for file, text in texts.items()}
    outside = [found for file, found in named.items() if not file.startswith("tests/")]
    return f"{_median(names, [*named.values()])}, {_median(names, outside)} of them outside tests"


def _median(names: set[str], files: Sequence[set[str]]) -> int:
    return median_low(sum(name in found for found in files) for name in names)


def _snake(text: str) -> set[str]:
    return {BORDER.sub("_", word).lower() for word in WORD.findall(text)}


def _paths(text: str) -> set[str]:
    return set(PATH.findall(text))
