"""Values of these tests' fixtures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anchor_client.generated.types import MarketParameter
from anchor_client.solana.node import NodeClient
from local_market.keys import MarketKeyring
from local_market.seed import Seeded
from local_market.terms import LOCALNET_TERMS
from localnet.server import LocalCluster
from tests.e2e.console import Console
from tests.e2e.replicas import call


@dataclass(frozen=True, slots=True)
class SeededCluster:
    """An embedded cluster with the seeded market on it, and nobody who keeps it alive."""

    local: LocalCluster
    client: NodeClient
    keys: MarketKeyring
    seeded: Seeded


@dataclass(frozen=True, slots=True)
class UpProcess:
    """A running `gpu-market up`: its ready line, and a console whose commands find it."""

    name: str
    console: Console
    pid: int
    log: Path
    ready: dict[str, Any]

    def warp(self, seconds: int) -> None:
        """Moves the cluster's clock."""
        self.call("cheat_warp", {"seconds": seconds})

    def begin_epoch(self) -> None:
        """Moves the cluster's clock past the staking epoch that runs and the next, to the start of a whole one."""
        ends_at = self.console.json("staking", "show")["epoch_ends_at"]
        length = LOCALNET_TERMS.parameters[MarketParameter.EPOCH_SECONDS]
        self.call("cheat_warp", {"unixTimestamp": ends_at + length})

    def call(self, method: str, *params: Any) -> None:
        """Asks the cluster for something that no command does."""
        call(self.ready["rpc_url"], method, *params)
