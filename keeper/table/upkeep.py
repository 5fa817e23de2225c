"""Creates a keeper's lookup table, extends it, and finds its usable entries."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final

import structlog
from solders.address_lookup_table_account import AddressLookupTable, AddressLookupTableAccount
from solders.clock import Clock
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.sysvar import CLOCK, SLOT_HASHES

from anchor_client.errors import TransactionExpired, UnreadableAnswer
from anchor_client.market.program import MarketProgram
from anchor_client.rules.subsidy import day
from anchor_client.solana.rpc import Reader
from anchor_client.solana.transactions import MessageVersion, Prepared, TransactionSender
from anchor_client.solana.wallet import Wallet
from keeper.journal import Journal, JournalEntry
from keeper.sender import prepared_of
from keeper.table.instructions import META_SIZE, create, extend
from keeper.table.shared import MAX_ADDRESSES, shared_addresses

log = structlog.get_logger(__name__)

ACTIVE: Final = 2**64 - 1
"""The deactivation slot of a table that is in use."""
PART: Final = 20
"""Maximum addresses in one transaction."""
USABLE_SECONDS: Final = 10.0
"""Maximum wait for the slot after an extension."""


class TableUpkeep:
    """Keeps one table for a wallet; the journal remembers it, and counts fees and rent in the day's budget."""

    def __init__(self, reader: Reader, journal: Journal, wallet: Wallet, max_priority_fee: int) -> None:
        self._reader = reader
        self._journal = journal
        self._wallet = wallet
        self._sender = TransactionSender(
            reader.client,
            MarketProgram(reader.program_id),
            commitment=reader.commitment,
            max_priority_fee=max_priority_fee,
            version=MessageVersion.V0,
        )

    async def refresh(self) -> None:
        """Creates the table if there is none, and adds missing entries. BudgetSpent, and errors of sending."""
        await self._resume()
        found = await self._find()
        wanted = await shared_addresses(self._reader, self._wallet.pubkey)
        known = [] if found is None else found[1].addresses
        missing = [address for address in wanted if address not in set(known)][: MAX_ADDRESSES - len(known)]
        if not missing:
            return
        creation: list[Instruction] = []
        if found is None:
            table, instruction = create(self._wallet.pubkey, await self._recent_slot())
            creation = [instruction]
        else:
            table = found[0]
        for start in range(0, len(missing), PART):
            part = missing[start : start + PART]
            prepared = await self._prepare(
                [*creation, extend(table, self._wallet.pubkey, part)], len(known) + start, len(part)
            )
            if creation:
                # Before it is sent: a table that a crash forgot would keep its rent.
                await self._journal.add_table(table, _entry(prepared))
            await self._sender.submit(prepared)
            if creation:
                await self._journal.end_table_creation(prepared.signature)
            creation = []
        log.info("lookup_table_extended", table=str(table), addresses=len(known) + len(missing), new=len(missing))

    async def usable(self) -> AddressLookupTableAccount | None:
        """The table with its usable entries, after a short wait for new ones; None without any."""
        deadline = asyncio.get_running_loop().time() + USABLE_SECONDS
        while (found := await self._find()) is not None:
            address, table, slot = found
            # The runtime takes no entry in the slot in which it was added.
            if slot > table.meta.last_extended_slot:
                return AddressLookupTableAccount(address, table.addresses)
            if asyncio.get_running_loop().time() > deadline:
                entries = table.addresses[: table.meta.last_extended_slot_start_index]
                return AddressLookupTableAccount(address, entries) if entries else None
            await asyncio.sleep(self._sender.timing.poll)
        return None

    async def _resume(self) -> None:
        """Resolves creations that were signed before a crash, and may not have been sent: an existing table is used,
        and another is created only once the first can never land.
        """
        for entry in await self._journal.table_creations():
            prepared = prepared_of(entry)
            again = partial(self._sender.broadcast, prepared, preflight=False)
            try:
                await self._sender.confirm(entry.signature, entry.last_valid_block_height, broadcast=again)
            except TransactionExpired:
                await self._journal.end_table_creation(entry.signature, is_free=True)
            else:
                await self._journal.end_table_creation(entry.signature)

    async def _find(self) -> tuple[Pubkey, AddressLookupTable, int] | None:
        """The newest active table of the journal, and the slot at which it was read."""
        addresses = await self._journal.tables()
        clock, *accounts = await self._reader.accounts([CLOCK, *addresses])
        for address, account in zip(addresses, accounts, strict=True):
            if account is not None and account.data:
                table = AddressLookupTable.deserialize(account.data)
                if table.meta.deactivation_slot == ACTIVE and clock is not None:
                    return address, table, Clock.from_bytes(clock.data).slot
        return None

    async def _recent_slot(self) -> int:
        """The newest slot that the program accepts for a new table: the last one may have been skipped."""
        hashes = await self._reader.account(SLOT_HASHES)
        if hashes is None or len(hashes.data) < 16:
            raise UnreadableAnswer("The RPC node has no SlotHashes sysvar")
        # Behind their number, of eight bytes, the newest comes first.
        return int.from_bytes(hashes.data[8:16], "little")

    async def _prepare(self, instructions: Sequence[Instruction], held: int, added: int) -> Prepared:
        """Signs, and counts fee and rent in the day's budget."""
        prepared = await self._sender.prepare(instructions, payer=self._wallet, version=MessageVersion.V0)
        fee = await self._reader.client.signature_fee() + prepared.budget.priority_lamports_ceil
        rent = await self._reader.rent_exempt_minimum(META_SIZE + 32 * (held + added))
        if held:
            rent -= await self._reader.rent_exempt_minimum(META_SIZE + 32 * held)
        await self._journal.spend(prepared.signature, day(await self._reader.now()), fee + rent)
        return prepared


def _entry(prepared: Prepared) -> JournalEntry:
    return JournalEntry(prepared.signature, bytes(prepared.transaction), prepared.last_valid_block_height, 0, ())
