"""The table of docs/assurance.md that shows where a rental's compute units go."""

from __future__ import annotations

import json

from .guided.profile import BEGIN, END, INSTRUCTIONS, PAGE
from .measure_compute_units import FROZEN

MARGIN = 0.03
WHOLE = "a rental"


def test_profile__table__adds_up_and_is_close_to_what_is_frozen() -> None:
    """After a change of the program: python -m tests.program.guided.profile."""
    head, _, *rows = PAGE.read_text().partition(BEGIN)[2].partition(END)[0].strip().splitlines()
    names = [cell.strip("` ") for cell in head.split("|")[2:-1]]
    figures = [[int(cell.replace(",", "")) for cell in row.split("|")[2:-1]] for row in rows]
    *parts, whole = (dict(zip(names, row, strict=True)) for row in figures)
    frozen = json.loads(FROZEN.read_text())
    assert all(abs(whole[name] - frozen[name]) <= MARGIN * frozen[name] for name in INSTRUCTIONS)
    assert whole == {name: sum(part[name] for part in parts) for name in names}
    assert all(part[WHOLE] == sum(part[name] for name in INSTRUCTIONS) for part in parts)
