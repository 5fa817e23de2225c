"""The root of the client's errors."""

from __future__ import annotations

from typing import ClassVar


class GpuMarketError(Exception):
    """Any error a user can meet. `message` says in one line what happened, `remedy` what to do about it."""

    default_remedy: ClassVar[str] = "Try again; if it persists, report it with the command that was run."

    def __init__(self, message: str, remedy: str | None = None) -> None:
        Exception.__init__(self, message)
        self.message = message
        self.remedy = remedy or self.default_remedy
