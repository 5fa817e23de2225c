"""The rules in seconds, by area, and where the program compares times."""

from __future__ import annotations

from . import charges, governance, prices, rentals, spot, staking  # noqa: F401  in the order of the table
from .rule import RULES, TimedRule

__all__ = ["RULES", "TimedRule"]
