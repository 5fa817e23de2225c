"""Waits until a transaction has landed, or never will.

It counts as failed only when the chain is past its last valid block height and it is not found. The height is read
before the status, so that a transaction that lands in between is found.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from solana.rpc.commitment import Commitment, Confirmed, Finalized, Processed
from solders.signature import Signature
from solders.transaction_status import TransactionConfirmationStatus as Status
from solders.transaction_status import TransactionErrorType, TransactionStatus

from anchor_client.errors import OutcomeUnknown, RateLimited, RpcRefused, TransactionExpired, UnreachableRpc
from anchor_client.node import NodeClient

TRANSIENT: Final = (UnreachableRpc, RateLimited, RpcRefused)
"""Node failures that do not tell whether the transaction landed."""

_REACHED_BY: Final = {
    Processed: (Status.Processed, Status.Confirmed, Status.Finalized),
    Confirmed: (Status.Confirmed, Status.Finalized),
    Finalized: (Status.Finalized,),
}


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds between status checks, between broadcasts, and without an answer before giving up on the node."""

    poll: float = 0.2
    rebroadcast: float = 2.0
    patience: float = 60.0


@dataclass(frozen=True, slots=True)
class Landing:
    """A transaction on chain; `error` if it failed, which still costs its fee."""

    signature: Signature
    slot: int
    error: TransactionErrorType | None


async def await_landing(
    client: NodeClient,
    signature: Signature,
    last_valid_block_height: int,
    *,
    commitment: Commitment = Confirmed,
    timing: Timing | None = None,
    broadcast: Callable[[], Awaitable[None]] | None = None,
) -> Landing:
    """Waits until the transaction reaches the commitment, calling `broadcast` periodically until it is seen.

    Raises TransactionExpired if it can no longer land, OutcomeUnknown if the node stops answering while it still can.
    """
    timing = timing or Timing()
    heard_at = sent_at = time.monotonic()
    while True:
        try:
            height = await client.get_block_height(commitment)
            status = await _status(client, signature, search_history=height > last_valid_block_height)
            heard_at = time.monotonic()
            if status is not None and _reached(status, commitment):
                return Landing(signature, status.slot, status.err)
            if status is None and height > last_valid_block_height:
                raise TransactionExpired(signature, last_valid_block_height)
            if status is None and broadcast is not None and heard_at - sent_at >= timing.rebroadcast:
                sent_at = heard_at
                await broadcast()
        except TRANSIENT as error:
            if time.monotonic() - heard_at > timing.patience:
                raise OutcomeUnknown(signature, last_valid_block_height) from error
        # Polled: a node announces a signature that lands, and says nothing of one that never will.
        await asyncio.sleep(timing.poll)


async def find_landing(client: NodeClient, signature: Signature) -> Landing | None:
    """The transaction if the node knows it, at any commitment and of any age."""
    status = await _status(client, signature, search_history=True)
    return None if status is None else Landing(signature, status.slot, status.err)


async def _status(client: NodeClient, signature: Signature, *, search_history: bool) -> TransactionStatus | None:
    [status] = await client.get_signature_statuses([signature], search_transaction_history=search_history)
    return status


def _reached(status: TransactionStatus, commitment: Commitment) -> bool:
    if status.confirmation_status is None:
        return status.confirmations is None
    return status.confirmation_status in _REACHED_BY[commitment]
