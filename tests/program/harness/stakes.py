"""Stake accounts, written as the program would."""

from __future__ import annotations

from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID
from tests.stake import staked

from .cluster import Cluster


def put_stake(cluster: Cluster, owner: Pubkey, active: int, warming: int = 0, warm_at: int = 0) -> Pubkey:
    """Gives a wallet this stake in base units, which no pool knows of; the stake account's address."""
    where, data = staked(owner, active, warming=warming, warm_at=warm_at)
    cluster.set_account(where, Account(cluster.rent(len(data)), data, PROGRAM_ID))
    return where
