"""The table of properties in docs/assurance.md.

Usage: python -m tests.program.proofs.table
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.program.proofs import properties  # noqa: F401
from tests.program.proofs.stated import STATED

PAGE: Final = Path(__file__).parents[3] / "docs/assurance.md"
BEGIN: Final = "<!-- properties -->"
END: Final = "<!-- end of properties -->"


def table() -> str:
    """Every property, by area, with its invariants."""
    rows = [f"| {each.area} | {each.sentence} | {', '.join(each.invariants)} |" for each in STATED.values()]
    return "\n".join(["| rules of | for all inputs | invariants |", "|---|---|---|", *rows])


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}")
