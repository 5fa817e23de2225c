"""Conversion of optional values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def optional(convert: Callable[[T], R], value: T | None) -> R | None:
    """The value, converted; None if there is none."""
    return None if value is None else convert(value)
