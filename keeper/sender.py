"""Signs a batch, journals it, and sends it until it lands or no longer can."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from solders.transaction import VersionedTransaction
from solders.transaction_status import TransactionErrorType

from anchor_client.errors import GpuMarketError, OutcomeUnknown, TransactionExpired
from anchor_client.solana.transactions import ComputeBudget, Prepared, TransactionSender
from anchor_client.solana.wallet import Wallet
from keeper.journal import Intent, Journal, JournalEntry
from keeper.packing import Batch, Packer


class Fate(StrEnum):
    """Outcome of a transaction."""

    LANDED = "landed"
    FAILED = "failed"
    """On chain, at the cost of its fee: another keeper was faster between simulation and landing."""
    REFUSED = "refused"
    """Refused by the node, at no cost."""
    EXPIRED = "expired"
    """Its blockhash is too old for it to land."""
    UNKNOWN = "unknown"
    """The node does not answer; the journal keeps the transaction."""


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A signed and journalled batch, and its outcome."""

    entry: JournalEntry
    fate: Fate
    error: TransactionErrorType | GpuMarketError | None = None


class BatchSender:
    """Lands batches for one wallet; a signed batch stays in the journal until its fate is known."""

    def __init__(self, sender: TransactionSender, journal: Journal, wallet: Wallet) -> None:
        self._sender = sender
        self._journal = journal
        self._wallet = wallet

    async def sign(self, packer: Packer, batch: Batch, budget: ComputeBudget, day: int) -> JournalEntry:
        """Signs a batch on a fresh blockhash and journals it, with its fee on a UTC day.

        Raises BudgetSpent and network errors, and then sends nothing.
        """
        prepared = await self._sender.prepare(
            batch.instructions,
            payer=self._wallet,
            version=packer.version,
            lookup_tables=packer.lookup_tables,
            budget=budget,
        )
        entry = JournalEntry(
            signature=prepared.signature,
            wire=bytes(prepared.transaction),
            last_valid_block_height=prepared.last_valid_block_height,
            fee=batch.signature_fee + budget.priority_lamports_ceil,
            intents=tuple(Intent(ending.due.address, ending.due.task.name, ending.due.tip) for ending in batch.endings),
        )
        # Before it is sent: after a crash the next run finds what may have landed.
        await self._journal.record(entry, day)
        return entry

    async def deliver(self, entry: JournalEntry, *, preflight: bool = True) -> SentBatch:
        """Sends a journalled transaction and waits for its fate. Failures of the chain and the node are in the result.

        With `preflight` the node rejects, at no cost, a transaction that has become impossible since its simulation.
        Omit it for a transaction that may have been sent before: its own success would look like a refusal.
        """
        prepared = prepared_of(entry)
        if preflight:
            try:
                await self._sender.broadcast(prepared, preflight=True)
            except GpuMarketError as error:
                return await self._settled(SentBatch(entry, Fate.REFUSED, error))

        async def again() -> None:
            await self._sender.broadcast(prepared, preflight=False)

        try:
            landing = await self._sender.confirm(entry.signature, entry.last_valid_block_height, broadcast=again)
        except TransactionExpired as error:
            return await self._settled(SentBatch(entry, Fate.EXPIRED, error))
        except OutcomeUnknown as error:
            return SentBatch(entry, Fate.UNKNOWN, error)
        fate = Fate.LANDED if landing.error is None else Fate.FAILED
        return await self._settled(SentBatch(entry, fate, landing.error))

    async def _settled(self, sent: SentBatch) -> SentBatch:
        await self._journal.remove(sent.entry.signature, is_free=sent.fate in (Fate.REFUSED, Fate.EXPIRED))
        return sent


def prepared_of(entry: JournalEntry) -> Prepared:
    transaction = VersionedTransaction.from_bytes(entry.wire)
    return Prepared(transaction, entry.last_valid_block_height, ComputeBudget(), ())
