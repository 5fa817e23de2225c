"""What happened to a rental, read from its transactions: an ended one has no account any more."""

from __future__ import annotations

import asyncio
from typing import Final

from solana.rpc.commitment import Commitment
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client import transactions
from anchor_client.market.job import RentalEvent
from anchor_client.node import NodeClient
from anchor_client.projection import compensation_paid
from anchor_idl.runtime.structs import Event

PAGE: Final = 1_000
CONCURRENT_READS: Final = 16


class RentalHistory:
    """Reads the events of rentals from their transactions, oldest first."""

    def __init__(self, client: NodeClient, *, commitment: Commitment, program_id: Pubkey) -> None:
        self.client = client
        self.commitment = commitment
        self.program_id = program_id

    async def events(self, rental: Pubkey, *, after: Signature | None = None) -> list[RentalEvent]:
        """The events of a rental, or those after a transaction. Network errors, DetailsUnavailable."""
        signatures = await self.signatures(rental, after=after)
        found: list[RentalEvent] = []
        for start in range(0, len(signatures), CONCURRENT_READS):
            part = signatures[start : start + CONCURRENT_READS]
            groups = await asyncio.gather(*(self.events_in(rental, signature) for signature in part))
            found.extend(event for group in groups for event in group)
        return found

    async def signatures(self, rental: Pubkey, *, after: Signature | None = None) -> list[Signature]:
        """Transactions that name a rental and succeeded, oldest first."""
        found: list[Signature] = []
        before: Signature | None = None
        while True:
            page = await self.client.get_signatures_for_address(
                rental, before=before, until=after, limit=PAGE, commitment=self.commitment
            )
            found.extend(status.signature for status in page if status.err is None)
            if len(page) < PAGE:
                return found[::-1]
            before = page[-1].signature

    async def events_in(self, rental: Pubkey, signature: Signature) -> list[RentalEvent]:
        """The events of a rental in one transaction."""
        return events_of_rental(rental, await self.details(signature))

    async def details(self, signature: Signature) -> transactions.TransactionDetails:
        """What a transaction that has landed did. DetailsUnavailable."""
        return await transactions.read_details(
            self.client, signature, commitment=self.commitment, program_id=self.program_id
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
