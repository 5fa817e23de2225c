"""Errors of setting up and running a local market."""

from __future__ import annotations

from anchor_client.errors import GpuMarketError


class LocalMarketError(Exception):
    """Base of this package's errors."""


class TransactionFailed(LocalMarketError):
    """A transaction landed and failed, or did not land in time."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(f"{what}: {reason}")
        self.reason = reason


class ProgramMissing(LocalMarketError):
    """The cluster does not have the market program, or another authority upgrades it."""


class NotLocal(GpuMarketError):
    """The command only works on a local market."""

    default_remedy = "Start one with `gpu-market up`, and omit --rpc and --cluster."


class UnusableDirectory(GpuMarketError):
    """A local market cannot keep its files where it should."""

    default_remedy = "Name another directory with --data."


class AlreadyRunning(GpuMarketError):
    """A local market is already running."""

    default_remedy = "Use it, stop it with Ctrl-C in its terminal, or start another with --data and --port."


class PortTaken(GpuMarketError):
    """A port is in use."""

    default_remedy = "Free it, or choose another with --port or --rpc-port."


class StartFailed(GpuMarketError):
    """A part of the local market failed to start, or stopped."""

    default_remedy = "Run with --verbose for details; --reset starts with an empty market."


class Disagreement(GpuMarketError):
    """Chain, SQL and API disagree on amounts."""

    default_remedy = "Check the API's /health; `gpu-market up --reset` starts with an empty market."


class NoSandbox(LocalMarketError):
    """This computer has no namespaces for a simulated machine's programs."""
