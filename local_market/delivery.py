"""Sends signed transactions and waits until they have run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Commitment, Confirmed, Finalized, Processed
from solana.rpc.models import TxOpts
from solders.signature import Signature
from solders.transaction import VersionedTransaction
from solders.transaction_status import TransactionConfirmationStatus, TransactionStatus

from local_market.errors import TransactionFailed

POLL_SECONDS = 0.05
LANDING_SECONDS = 60.0
BATCH = 256
RANKED = (
    TransactionConfirmationStatus.Processed,
    TransactionConfirmationStatus.Confirmed,
    TransactionConfirmationStatus.Finalized,
)
COMMITMENTS = (Processed, Confirmed, Finalized)


async def deliver(client: AsyncClient, transaction: VersionedTransaction, what: str) -> Signature:
    """Sends a transaction and waits until a block has it. Raises TransactionFailed, naming `what` it was for."""
    options = TxOpts(preflight_commitment=Processed)
    signature = (await client.send_transaction(transaction, opts=options)).value
    await reached(client, [signature], Processed, what)
    return signature


async def reached(client: AsyncClient, signatures: Sequence[Signature], commitment: Commitment, what: str) -> None:
    """Waits until every transaction has succeeded at a commitment. Raises TransactionFailed."""
    deadline = time.monotonic() + LANDING_SECONDS
    enough = RANKED[COMMITMENTS.index(commitment) :]
    waiting = list(signatures)
    while waiting:
        statuses = (await client.get_signature_statuses(waiting[:BATCH])).value
        done = {
            signature
            for signature, status in zip(waiting, statuses, strict=False)
            if status is not None and _has(status, enough, what)
        }
        waiting = [signature for signature in waiting if signature not in done]
        if waiting and time.monotonic() > deadline:
            raise TransactionFailed(what, f"{waiting[0]} has not landed in {LANDING_SECONDS:.0f} s")
        if waiting:
            await asyncio.sleep(POLL_SECONDS)


def _has(status: TransactionStatus, enough: Sequence[TransactionConfirmationStatus], what: str) -> bool:
    if status.err is not None:
        raise TransactionFailed(what, str(status.err))
    return status.confirmation_status in enough
