"""Waiting times of a host's last rentals, as seconds in the text of one column."""

from __future__ import annotations

from statistics import median_high
from typing import Final

RECENT: Final = 20
"""Number of waiting times that are kept."""


def with_wait(waits: str, seconds: int) -> str:
    """The last ones, with another."""
    return " ".join([*waits.split(), str(seconds)][-RECENT:])


def median_wait(waits: str) -> int | None:
    """Their median in seconds, of two the longer; None without any."""
    return median_high(map(int, waits.split())) if waits else None
