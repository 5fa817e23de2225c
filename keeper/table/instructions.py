"""Instructions of the chain's address lookup table program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.address_lookup_table_account import ID as TABLE_PROGRAM
from solders.address_lookup_table_account import derive_lookup_table_address
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.program import SYSTEM_PROGRAM
from anchor_client.solana.account_metas import readable, writable

CREATE, EXTEND, DEACTIVATE, CLOSE = (number.to_bytes(4, "little") for number in (0, 2, 3, 4))
META_SIZE: Final = 56
"""Bytes of a table before its addresses."""


def create(wallet: Pubkey, recent_slot: int) -> tuple[Pubkey, Instruction]:
    """A table's address and its creation by the wallet that has authority over it, at a slot in SlotHashes."""
    table, bump = derive_lookup_table_address(wallet, recent_slot)
    data = CREATE + recent_slot.to_bytes(8, "little") + bytes([bump])
    return table, Instruction(TABLE_PROGRAM, data, _accounts(table, wallet))


def extend(table: Pubkey, wallet: Pubkey, addresses: Sequence[Pubkey]) -> Instruction:
    """Adds addresses to the end of a table; the wallet pays the rent."""
    data = EXTEND + len(addresses).to_bytes(8, "little") + b"".join(map(bytes, addresses))
    return Instruction(TABLE_PROGRAM, data, _accounts(table, wallet))


def deactivate(table: Pubkey, wallet: Pubkey) -> Instruction:
    """Begins the time after which a table can be closed."""
    return Instruction(TABLE_PROGRAM, DEACTIVATE, _accounts(table, wallet)[:2])


def close(table: Pubkey, wallet: Pubkey) -> Instruction:
    """Returns the rent of a table that has been deactivated for long enough."""
    recipient = writable(wallet)
    return Instruction(TABLE_PROGRAM, CLOSE, [*_accounts(table, wallet)[:2], recipient])


def _accounts(table: Pubkey, wallet: Pubkey) -> list[AccountMeta]:
    return [
        writable(table),
        readable(wallet, signs=True),
        writable(wallet, signs=True),
        readable(SYSTEM_PROGRAM),
    ]
