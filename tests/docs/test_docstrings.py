"""Docstrings keep their form."""

from __future__ import annotations

import re

from scripts.counts.language import docstrings
from scripts.counts.sources import sources

RUN_TOGETHER = re.compile(r"[^\s,] +`[a-z_.]+` {2,}\S")
"""An entry of a list of names that follows another one on its line."""


def test_docstrings__lists_of_names__have_an_entry_a_line() -> None:
    wrong = [
        f"{each.file}:{each.line}"
        for source in sources()
        for each in docstrings(source)
        if RUN_TOGETHER.search(each.text)
    ]
    assert wrong == []
