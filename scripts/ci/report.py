"""Output of a run: a line for each step as it ends, a table, the tail of what failed, and pytest's closing line."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence

from .running import EndedStep

TAIL = 80
CLOSING = re.compile(r"^=* ?(?=.*\b\d+ (?:passed|failed|error))[\w ,]+ in [\d.]+s.*$")


def ended(step: EndedStep) -> str:
    """A step's line of the table."""
    state = "passed" if step.status == 0 else f"FAILED ({step.status})"
    closing = (closing_line(step) or "").strip("= ")
    return f"{step.step.name:18} {state:12} {step.seconds:7.0f} s {step.processor_seconds:7.0f} s  {closing}"


def closing_line(step: EndedStep) -> str | None:
    """pytest's own last line in a step's log."""
    return next((line for line in reversed(step.lines(200)) if CLOSING.match(line)), None)


def summary(steps: Sequence[EndedStep], began: float) -> str:
    """The table, and after it how much of each failed step's log helps."""
    rows = [f"{'step':18} {'':12} {'wall':>9} {'processor':>9}", *map(ended, steps)]
    whole = time.monotonic() - began
    rows.append(f"{'all':31} {whole:7.0f} s {_processor_seconds():7.0f} s")
    for step in steps:
        if step.status != 0:
            rows += ["", f"== {step.step.name}: {step.log}", *step.lines(TAIL)]
    return "\n".join(rows)


def _processor_seconds() -> float:
    used = os.times()
    return used.children_user + used.children_system
