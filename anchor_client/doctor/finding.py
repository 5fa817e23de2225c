"""Findings of the checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """Severity of a finding: a `failure` needs action now, a `warning` soon, `ok` none."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of the check `check`; without a `remedy` there is nothing to do."""

    check: str
    level: Level
    message: str
    remedy: str = ""
    expires_at: int | None = None
    """Unix seconds at which what it is about expires."""

    def to_json(self) -> dict[str, str]:
        """The finding as JSON."""
        return {"check": self.check, "level": self.level.value, "message": self.message, "remedy": self.remedy}


def ok(check: str, message: str) -> Finding:
    """All is well."""
    return Finding(check, Level.OK, message)


def warning(check: str, message: str, remedy: str) -> Finding:
    """Something to look after soon."""
    return Finding(check, Level.WARNING, message, remedy)


def failure(check: str, message: str, remedy: str) -> Finding:
    """Something to look after now."""
    return Finding(check, Level.FAILURE, message, remedy)


def worst(findings: Iterable[Finding]) -> Level:
    """The gravest level of all."""
    order = list(Level)
    return max((finding.level for finding in findings), key=order.index, default=Level.OK)
