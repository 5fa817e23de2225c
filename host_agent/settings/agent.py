"""Settings of a host's agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.sealing import SealKey
from anchor_client.solana.wallet import Wallet
from host_agent.block_list import NOBODY_BLOCKED, BlockList
from host_agent.identity import OperatorCertificate
from host_agent.pace import DEFAULT_PACE, HostPace
from host_agent.settings.machine import GIBIBYTE, HostingSettings, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings(HostingSettings):
    """Settings of an agent: its node, API and wallets, and what orders may use; the same for all of its listings."""

    rpc_url: str = field(repr=False)
    """URL of an RPC node, or several separated by commas."""
    rpc_rate: float | None = None
    ws_url: str = field(repr=False)
    api_url: str
    """The API that keeps renters' sealed orders."""
    wallet: Wallet
    """The operator's wallet."""
    owner: Pubkey | None = None
    """The host's wallet, which is paid; None if it operates the machine itself."""
    seal_key: SealKey
    state_dir: Path
    program_id: Pubkey = PROGRAM_ID
    shares: Sequence[Share] = ()
    """The listings on this machine; empty for the host's only one, or the one that it was then; it gets `gpus`."""
    ports: Sequence[range] = ()
    """Ranges that the listings' ports come from; empty for all from `first_port` on."""
    engine_url: str | None = None
    certificate: OperatorCertificate | None = None
    """Certificate for the address; None for a self-signed one."""
    keep_bytes: int = 50 * GIBIBYTE
    """Maximum disk for tenants' workspaces between their rentals."""
    blocked: BlockList = NOBODY_BLOCKED
    """Renters whose orders are refused."""
    pace: HostPace = DEFAULT_PACE
    metrics_port: int | None = None
    metrics_host: str = "127.0.0.1"
