"""Errors for operators of keepers, besides the client's own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.errors import PASSING_FAILURES, BadKeyFile, GpuMarketError
from anchor_client.service.leader_lock import LeaderLockUnusable


class BudgetSpent(GpuMarketError):
    """A transaction would cost more than what is left of the day's budget."""

    default_remedy = "The keeper goes on at 00:00 UTC. Raise GPU_MARKET_DAILY_BUDGET_LAMPORTS to go on now."

    def __init__(self, lamports: int) -> None:
        super().__init__(f"The day's budget of {lamports} lamports is spent")


class IndexStale(GpuMarketError):
    """The index lags, or says itself that it is not well."""

    default_remedy = "The keeper reads the chain meanwhile. Look at the index's /health."

    def __init__(self, why: str) -> None:
        super().__init__(f"The index is not used: {why}")


class IndexWrong(GpuMarketError):
    """The index contradicts the chain."""

    default_remedy = "The keeper reads the chain meanwhile. Compare the index with `gpu-market indexer verify`."

    def __init__(self, why: str) -> None:
        super().__init__(f"The index is not believed: {why}")


class KeeperConfigurationError(GpuMarketError):
    """Invalid settings of a keeper."""

    default_remedy = "Check the GPU_MARKET_ environment variables and the command's flags."


class KeeperOutOfFunds(GpuMarketError):
    """The keeper's wallet cannot pay for a transaction."""

    def __init__(self, wallet: Pubkey) -> None:
        super().__init__(f"The keeper's wallet {wallet} cannot pay for a transaction", "Add SOL to the wallet.")


PASSING: Final = (*PASSING_FAILURES, KeeperOutOfFunds)
"""Errors that are not the fault of what was tried: they pass, or the operator sees to them."""


class StateDirectoryBusy(KeeperConfigurationError):
    """Another keeper writes to this state directory."""

    def __init__(self, directory: Path) -> None:
        super().__init__(
            f"Another keeper uses the state directory {directory}", "Give each keeper its own state directory."
        )


def is_waited_out(error: Exception, *, started: bool) -> bool:
    """True where a service continues after an error: before its first successful look at the chain only if it passes.

    Wrong settings always end it; once it has `started`, nothing else does.
    """
    if isinstance(error, KeeperConfigurationError | LeaderLockUnusable | BadKeyFile):
        return False
    return started or isinstance(error, PASSING)
