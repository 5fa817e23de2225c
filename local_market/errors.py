"""Errors of setting up and running a local market."""

from __future__ import annotations


class LocalMarketError(Exception):
    """Base of this package's errors."""


class TransactionFailed(LocalMarketError):
    """A transaction landed and failed, or did not land in time."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(f"{what}: {reason}")
        self.reason = reason


class ProgramMissing(LocalMarketError):
    """The cluster does not have the market program, or another authority upgrades it."""
