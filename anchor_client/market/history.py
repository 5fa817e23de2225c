"""History of a rental, read from its transactions: an ended one has no account any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from solana.rpc.commitment import Commitment
from solders.pubkey import Pubkey
from solders.rpc.responses import RpcConfirmedTransactionStatusWithSignature
from solders.signature import Signature

from anchor_client import market
from anchor_client.market.job import RentalEvent
from anchor_client.projection import compensation_paid
from anchor_client.solana import transactions
from anchor_client.solana.errors import RpcRefused
from anchor_client.solana.json_rpc.refusals import SIGNATURE_UNKNOWN
from anchor_client.solana.node import NodeClient
from anchor_idl.runtime.structs import Event

PAGE: Final = 1_000
CONCURRENT_READS: Final = 16


class RentalHistory:
    """Reads the events of rentals from their transactions, oldest first."""

    def __init__(self, client: NodeClient, *, commitment: Commitment, program_id: Pubkey) -> None:
        self.client = client
        self.commitment = commitment
        self.program_id = program_id

    async def events(self, rental: Pubkey, *, known: Sequence[Signature] = ()) -> list[RentalEvent]:
        """The events of a rental, or those of other transactions than the known ones, oldest first. Network errors,
        DetailsUnavailable.
        """
        signatures = await self.signatures(rental, known=known)
        found: list[RentalEvent] = []
        for start in range(0, len(signatures), CONCURRENT_READS):
            part = signatures[start : start + CONCURRENT_READS]
            groups = await asyncio.gather(*(self.events_in(rental, signature) for signature in part))
            found.extend(event for group in groups for event in group)
        return found

    async def signatures(self, rental: Pubkey, *, known: Sequence[Signature] = ()) -> list[Signature]:
        """Transactions that name a rental and succeeded, oldest first, apart from the known ones."""
        try:
            statuses = await self._list(rental, known[-1] if known else None)
        except RpcRefused as error:
            if not known or error.code != SIGNATURE_UNKNOWN:
                raise
            # The node has pruned the newest known one, or has not kept it yet.
            statuses = await self._list(rental, None)
        return [one.signature for one in statuses[::-1] if one.err is None and one.signature not in known]

    async def memo(self, rental: Pubkey, signature: Signature) -> str | None:
        """The memos of a transaction that names a rental, as the node reports them; None without any."""
        async with aclosing(self._statuses(rental, None)) as statuses:
            async for status in statuses:
                if status.signature == signature:
                    return status.memo
        return None

    async def _list(self, rental: Pubkey, after: Signature | None) -> list[RpcConfirmedTransactionStatusWithSignature]:
        return [status async for status in self._statuses(rental, after)]

    async def _statuses(
        self, rental: Pubkey, after: Signature | None
    ) -> AsyncGenerator[RpcConfirmedTransactionStatusWithSignature, None]:
        """Transactions that name a rental, newest first."""
        before: Signature | None = None
        while True:
            page = await self.client.get_signatures_for_address(
                rental, before=before, until=after, limit=PAGE, commitment=self.commitment
            )
            for status in page:
                yield status
            if len(page) < PAGE:
                return
            before = page[-1].signature

    async def events_in(self, rental: Pubkey, signature: Signature) -> list[RentalEvent]:
        """The events of a rental in one transaction."""
        return events_of_rental(rental, await self.details(signature))

    async def details(self, signature: Signature) -> transactions.TransactionDetails:
        """Details of a transaction that has landed. DetailsUnavailable."""
        return await transactions.read_details(
            self.client, signature, market.MarketProgram(self.program_id), commitment=self.commitment
        )


def events_of_rental(rental: Pubkey, details: transactions.TransactionDetails) -> list[RentalEvent]:
    """The events of a rental in a transaction, and those that compensated it."""
    mine = (
        event for event in details.events if getattr(event, "rental", None) == rental or _compensates(event, rental)
    )
    return [RentalEvent(event, details.signature, details.slot) for event in mine]


def _compensates(event: Event, rental: Pubkey) -> bool:
    paid = compensation_paid(event)
    return paid is not None and paid.holder == str(rental)
