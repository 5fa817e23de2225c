"""Logs, fee and events of a landed transaction."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TypeVar

from solana.rpc.commitment import Commitment
from solders.signature import Signature
from solders.transaction_status import TransactionErrorType

from anchor_client.solana.errors import DetailsUnavailable
from anchor_client.solana.node import NodeClient
from anchor_client.solana.program import Program
from anchor_client.solana.transactions.confirmation import TRANSIENT, Timing
from anchor_idl.runtime.structs import Event

Kind = TypeVar("Kind", bound=Event)


@dataclass(frozen=True, slots=True)
class TransactionDetails:
    """A transaction on the chain. `fee` is in lamports, `block_time` unix seconds; events only if it succeeded."""

    signature: Signature
    slot: int
    block_time: int | None
    error: TransactionErrorType | None
    compute_units: int
    fee: int
    logs: tuple[str, ...] = field(repr=False)
    events: tuple[Event, ...] = field(repr=False)

    def event(self, kind: type[Kind]) -> Kind:
        """The first event of a kind; LookupError when there is none."""
        for event in self.events:
            if isinstance(event, kind):
                return event
        raise LookupError(f"transaction {self.signature} has no {kind.__name__} event")


class Sent(TransactionDetails):
    """A transaction that was sent, has landed and succeeded."""


async def find_details(
    client: NodeClient, signature: Signature, program: Program, *, commitment: Commitment
) -> TransactionDetails | None:
    """The transaction; None if the node does not know it at this commitment."""
    found = await client.get_transaction(signature, commitment)
    if found is None:
        return None
    meta = found.transaction.meta
    # A node may keep the transaction without its effects.
    if meta is None:
        raise DetailsUnavailable(signature)
    return TransactionDetails(
        signature=signature,
        slot=found.slot,
        block_time=found.block_time,
        error=meta.err,
        compute_units=meta.compute_units_consumed or 0,
        fee=meta.fee,
        logs=tuple(meta.log_messages or ()),
        events=program.events(found.transaction),
    )


async def read_details(
    client: NodeClient,
    signature: Signature,
    program: Program,
    *,
    commitment: Commitment,
    timing: Timing | None = None,
) -> TransactionDetails:
    """A transaction that has landed, retried because nodes index it shortly after they report its status.

    Raises DetailsUnavailable if the node does not return it within the timing's patience.
    """
    timing = timing or Timing()
    deadline = time.monotonic() + timing.patience
    failure: Exception | None = None
    while time.monotonic() < deadline:
        try:
            details = await find_details(client, signature, program, commitment=commitment)
        except TRANSIENT as error:
            failure = error
        else:
            if details is not None:
                return details
        await asyncio.sleep(timing.poll)
    raise DetailsUnavailable(signature) from failure
