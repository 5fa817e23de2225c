"""Settings of a local market; `gpu-market up` has a flag for each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from anchor_client.service.setting_kinds import FILE, PORT, SWITCH, integer
from anchor_client.service.settings import PREFIX, Settings, setting


@dataclass(frozen=True, kw_only=True)
class UpSettings(Settings):
    """Settings of `gpu-market up`."""

    SECTION: ClassVar[str] = "up"
    PREFIX: ClassVar[str] = f"{PREFIX}UP_"
    CLUSTER: ClassVar[str | None] = "localnet"

    data: Path | None = setting(None, FILE, shown="~/.local/share/gpu-market/localnet")
    """Directory for chain, index and keys."""
    port: int = setting(8000, PORT)
    """Port of the API; 0 picks a free one."""
    rpc_port: int = setting(8899, integer(0, 65534))
    """Port of the RPC node; PubSub uses the next one; 0 picks a free pair."""
    slot_ms: int = setting(400, integer(50, 10000))
    """Length of the cluster's slots in milliseconds."""
    shell: bool = setting(False, SWITCH)
    """Run renters' programs on this computer itself, as you, without a sandbox."""
    docker: bool = setting(False, SWITCH)
    """Offer this computer too, as a machine whose orders run in its Docker engine."""
    keeper: bool = setting(True, SWITCH)
    """Run a keeper; without one due rentals stay open until you run one."""
