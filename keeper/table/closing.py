"""Deactivates a keeper's lookup tables, and closes them once the chain allows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from solders.address_lookup_table_account import AddressLookupTable
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.market.program import MarketProgram
from anchor_client.solana.rpc import Reader
from anchor_client.solana.transactions import TransactionSender
from anchor_client.solana.wallet import Wallet
from keeper.journal import Journal
from keeper.table.instructions import close, deactivate
from keeper.table.upkeep import ACTIVE

COOL_DOWN_SLOTS: Final = 513
"""Slots for which a deactivated table stays readable, for transactions in flight."""


@dataclass(frozen=True, slots=True)
class TableState:
    """One table: `rent` in lamports comes back when it is closed, `slots_left` from now; None while it is active."""

    address: Pubkey
    addresses: int
    rent: int
    slots_left: int | None


async def read_tables(reader: Reader, journal: Journal) -> list[TableState]:
    """The journal's existing tables."""
    known = await journal.tables()
    slot = (await reader.clock()).slot
    return [
        TableState(address, len(table.addresses), account.lamports, _slots_left(table, slot))
        for address, account in zip(known, await reader.accounts(known), strict=True)
        if account is not None and account.data
        for table in [AddressLookupTable.deserialize(account.data)]
    ]


async def close_tables(reader: Reader, journal: Journal, wallet: Wallet) -> list[TableState]:
    """Deactivates active tables and closes closable ones; returns the remaining tables. Errors of sending."""
    sender = TransactionSender(reader.client, MarketProgram(reader.program_id), commitment=reader.commitment)
    for table in await read_tables(reader, journal):
        step: Callable[[Pubkey, Pubkey], Instruction] | None = None
        if table.slots_left is None:
            step = deactivate
        elif table.slots_left == 0:
            step = close
        if step is not None:
            await sender.send([step(table.address, wallet.pubkey)], payer=wallet)
    left = await read_tables(reader, journal)
    await journal.keep_tables([table.address for table in left])
    return left


def _slots_left(table: AddressLookupTable, slot: int) -> int | None:
    since = table.meta.deactivation_slot
    return None if since == ACTIVE else max(since + COOL_DOWN_SLOTS - slot, 0)
