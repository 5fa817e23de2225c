"""Waits until a transaction has landed, or never will.

It counts as failed only when the chain is past its last valid block height, its blockhash has ended and it is not
found: a wallet may have signed a newer blockhash than the one that the height is of. The height is read before the
status, so that a transaction that lands in between is found. One answer is not believed in this: nodes
behind one URL lag one another, and who takes a transaction for lost may pay for it twice.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from solana.rpc.commitment import Commitment, Confirmed, Finalized, Processed
from solders.hash import Hash
from solders.signature import Signature
from solders.transaction_status import TransactionConfirmationStatus as Status
from solders.transaction_status import TransactionErrorType, TransactionStatus

from anchor_client.solana.errors import NODE_FAILURES, OutcomeUnknown, TransactionExpired
from anchor_client.solana.node import NodeClient

TRANSIENT: Final = NODE_FAILURES
"""Node failures do not show whether the transaction landed."""
EXPIRED_LOOKS: Final = 3
"""Looks in a row at which a transaction is too old and not found before it is looked for in other ways."""
BLOCKHASH_BLOCKS: Final = 150
"""Number of blocks for which a blockhash is valid."""

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
    blockhash: Hash | None = None,
) -> Landing:
    """Waits until the transaction reaches the commitment, calling `broadcast` periodically until it is seen. With its
    `blockhash` it has not expired while nodes take that for valid.

    Raises TransactionExpired if it can no longer land, OutcomeUnknown if the node stops answering while it still can.
    """
    timing = timing or Timing()
    heard_at = sent_at = time.monotonic()
    expired = 0
    while True:
        try:
            height = await _height(client, commitment)
            status = await _status(client, signature, search_history=height > last_valid_block_height)
            if height:
                heard_at = time.monotonic()
            if status is not None and _reached(status, commitment):
                client.has_landed(status.slot, commitment)
                return Landing(signature, status.slot, status.err)
            expired = expired + 1 if status is None and height > last_valid_block_height else 0
            if expired >= EXPIRED_LOOKS:
                landing = await _find_in_block(client, signature, commitment)
                if landing is not None:
                    client.has_landed(landing.slot, commitment)
                    return landing
                newest = (await client.get_latest_blockhash(commitment)).last_valid_block_height
                if newest - BLOCKHASH_BLOCKS > last_valid_block_height:
                    if blockhash is None or not await client.is_blockhash_valid(blockhash, commitment):
                        raise TransactionExpired(signature, last_valid_block_height)
                    last_valid_block_height = newest
            if status is None and broadcast is not None and time.monotonic() - sent_at >= timing.rebroadcast:
                sent_at = time.monotonic()
                await broadcast()
        except TRANSIENT as error:
            if time.monotonic() - heard_at > timing.patience:
                raise OutcomeUnknown(signature, last_valid_block_height) from error
        if time.monotonic() - heard_at > timing.patience:
            raise OutcomeUnknown(signature, last_valid_block_height)
        # Polled: a node announces a signature that lands, and says nothing of one that never will.
        await asyncio.sleep(timing.poll)


async def _height(client: NodeClient, commitment: Commitment) -> int:
    """The height of the newest block; 0 while nodes do not say, or do not agree, and so nothing counts as expired."""
    try:
        return await client.get_block_height(commitment)
    except TRANSIENT:
        return 0


async def find_landing(client: NodeClient, signature: Signature) -> Landing | None:
    """The transaction if the node knows it, at any commitment and of any age."""
    status = await _status(client, signature, search_history=True)
    return None if status is None else Landing(signature, status.slot, status.err)


async def _find_in_block(client: NodeClient, signature: Signature, commitment: Commitment) -> Landing | None:
    """The transaction if the node has its block, which is kept apart from the statuses."""
    found = await client.get_transaction(signature, commitment)
    if found is None:
        return None
    meta = found.transaction.meta
    return Landing(signature, found.slot, None if meta is None else meta.err)


async def _status(client: NodeClient, signature: Signature, *, search_history: bool) -> TransactionStatus | None:
    [status] = await client.get_signature_statuses([signature], search_transaction_history=search_history)
    return status


def _reached(status: TransactionStatus, commitment: Commitment) -> bool:
    if status.confirmation_status is None:
        # Old nodes send none; their confirmations are null once the slot is final.
        return status.confirmations is None
    return status.confirmation_status in _REACHED_BY[commitment]
