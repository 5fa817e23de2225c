"""Recent priority fees for writing the same accounts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.solana.node import NodeClient

MAX_QUERIED_ACCOUNTS: Final = 128
QUANTILE_PERCENT: Final = 75
MAX_PRIORITY_FEE: Final = 1_000_000
"""Default cap of the priority fee, micro-lamports a compute unit: 0.0002 SOL for 200,000 units."""


async def recent_priority_fee(client: NodeClient, instructions: Iterable[Instruction], payer: Pubkey, cap: int) -> int:
    """Upper quartile of recent fees on the writable accounts, in micro-lamports per unit, at most `cap`."""
    if cap <= 0:
        return 0
    recent = await client.get_recent_prioritization_fees(writable_accounts(instructions, payer))
    return min(upper_quartile([fee.prioritization_fee for fee in recent]), cap)


def writable_accounts(instructions: Iterable[Instruction], payer: Pubkey) -> list[Pubkey]:
    """The accounts that a transaction locks for writing, without duplicates, up to a node's limit per request."""
    metas = (meta for instruction in instructions for meta in instruction.accounts)
    # The payer first: every transaction locks it, and the list is cut at the end.
    keys = dict.fromkeys([payer, *(meta.pubkey for meta in metas if meta.is_writable)])
    return list(keys)[:MAX_QUERIED_ACCOUNTS]


def upper_quartile(fees: Sequence[int]) -> int:
    """The smallest fee that three quarters of the slots do not exceed; 0 without slots."""
    if not fees:
        return 0
    rank = -(-len(fees) * QUANTILE_PERCENT // 100)
    return sorted(fees)[rank - 1]
