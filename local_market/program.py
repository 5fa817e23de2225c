"""Deploys the market program to an embedded cluster."""

from __future__ import annotations

from pathlib import Path

from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID
from localnet.server import LocalCluster

PROGRAM_PATH = Path(__file__).parent.parent / "localnet" / "program" / "gpu_market.so"
"""The committed build."""


def add_market_program(local: LocalCluster, upgrade_authority: Pubkey) -> None:
    """Deploys the committed build, replacing an older one. Raises OSError when it is not there."""
    local.cluster.add_program(PROGRAM_ID, PROGRAM_PATH, upgrade_authority=upgrade_authority)
