"""The forms of a log."""

from __future__ import annotations

from enum import StrEnum


class LogFormat(StrEnum):
    """What a line is."""

    CONSOLE = "console"
    JSON = "json"
