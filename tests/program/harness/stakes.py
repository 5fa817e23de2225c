"""Stake accounts, written as the program would."""

from __future__ import annotations

from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated.accounts.stake_account import StakeAccount
from anchor_client.generated.program import PROGRAM_ID

from .cluster import Cluster
from .keys import address


def put_stake(cluster: Cluster, owner: Pubkey, active: int, warming: int = 0, warm_at: int = 0) -> Pubkey:
    """Writes a stake account of `owner` in base units; gives its address."""
    where = address(f"stake of {owner}")
    state = StakeAccount(
        version=1,
        bump=255,
        owner=owner,
        seq=1,
        active=active,
        warming=warming,
        cooling=0,
        warm_at=warm_at,
        cool_at=0,
        voting_until=0,
        reserved_flags=bytes(6),
        reserved=bytes(256),
    )
    cluster.set_account(where, Account(cluster.rent(StakeAccount.SIZE), state.encode(), PROGRAM_ID))
    return where
