"""Errors for operators of keepers, besides the client's own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError, RateLimited, RpcRefused, UnreachableRpc


class KeeperConfigurationError(GpuMarketError):
    """Invalid settings of a keeper."""

    default_remedy = "Check the GPU_MARKET_ environment variables and the command's flags."


class KeeperOutOfFunds(GpuMarketError):
    """The keeper's wallet cannot pay for a transaction."""

    def __init__(self, wallet: Pubkey) -> None:
        super().__init__(f"The keeper's wallet {wallet} cannot pay for a transaction", "Add SOL to the wallet.")


PASSING: Final = (UnreachableRpc, RateLimited, RpcRefused, KeeperOutOfFunds)
"""What a service waits out; anything else the operator must fix."""


class StateDirectoryBusy(KeeperConfigurationError):
    """Another keeper writes to this state directory."""

    def __init__(self, directory: Path) -> None:
        super().__init__(
            f"Another keeper uses the state directory {directory}", "Give each keeper its own state directory."
        )
