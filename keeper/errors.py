"""Errors for operators of keepers, in addition to the client's own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.errors import PASSING_FAILURES, BadKeyFile, GpuMarketError
from anchor_client.service.leader_lock import LeaderLockUnusable


class BudgetSpent(GpuMarketError):
    """A transaction would exceed the rest of the day's budget."""

    default_remedy = "The keeper continues at 00:00 UTC. Raise GPU_MARKET_DAILY_BUDGET_LAMPORTS to continue now."

    def __init__(self, lamports: int) -> None:
        super().__init__(f"The day's budget of {lamports} lamports is spent")


class IndexStale(GpuMarketError):
    """The index lags, or reports itself unhealthy."""

    default_remedy = "The keeper reads the chain meanwhile. Check the index's /health."

    def __init__(self, why: str) -> None:
        super().__init__(f"The index is not used: {why}")


class IndexWrong(GpuMarketError):
    """The index contradicts the chain."""

    default_remedy = "The keeper reads the chain meanwhile. Compare the index with `gpu-market indexer verify`."

    def __init__(self, why: str) -> None:
        super().__init__(f"The index is not trusted: {why}")


class KeeperConfigurationError(GpuMarketError):
    """Invalid settings of a keeper."""

    default_remedy = "Check the GPU_MARKET_ environment variables and the command's flags."


class KeeperOutOfFunds(GpuMarketError):
    """The keeper's wallet cannot pay for a transaction."""

    def __init__(self, wallet: Pubkey) -> None:
        super().__init__(f"The keeper's wallet {wallet} cannot pay for a transaction", "Add SOL to the wallet.")


PASSING: Final = (*PASSING_FAILURES, KeeperOutOfFunds)
"""Errors with an external cause: they pass, or the operator resolves them."""


class StateDirectoryBusy(KeeperConfigurationError):
    """Another keeper writes to this state directory."""

    def __init__(self, directory: Path) -> None:
        super().__init__(
            f"Another keeper uses the state directory {directory}", "Give each keeper its own state directory."
        )


def is_waited_out(error: Exception, *, started: bool) -> bool:
    """True if a service continues after an error: before its first successful pass only for transient errors. Invalid
    settings always end it; once it has `started`, nothing else does.
    """
    if isinstance(error, KeeperConfigurationError | LeaderLockUnusable | BadKeyFile):
        return False
    return started or isinstance(error, PASSING)
