"""The forms of a log."""

from __future__ import annotations

from enum import StrEnum


class LogFormat(StrEnum):
    """Format of a log line."""

    CONSOLE = "console"
    JSON = "json"
