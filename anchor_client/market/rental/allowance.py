"""A renter's allowance for keeping a rental alive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

BEFORE: Final = 600
"""Seconds before the end of the paid time at which it is extended."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """At most `extensions` of `seconds`, for at most `total` base units of the rental's token together.

    Whatever the rental has been extended by counts, by whoever.
    """

    seconds: int
    extensions: int
    total: int
    before: int = BEFORE
