"""Lands groups of steps without simulating them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.signature import Signature

from anchor_client.deploy.steps import DeployStep, instructions_of
from anchor_client.solana.transactions import ComputeBudget, TransactionSender
from anchor_client.solana.transactions.confirmation import Landing
from local_market.errors import TransactionFailed

BUDGET: Final = ComputeBudget()


async def deliver(sender: TransactionSender, group: Sequence[DeployStep], what: str) -> Signature:
    """Sends steps of one payer and waits until they have run. TransactionFailed, and the sender's errors."""
    signers = [signer for step in group for signer in step.signers]
    prepared = await sender.prepare(instructions_of(group), payer=group[0].payer, signers=signers, budget=BUDGET)
    _require_success(await sender.land(prepared), what)
    return prepared.signature


async def landed(sender: TransactionSender, signature: Signature, last_valid_block_height: int, what: str) -> None:
    """Waits until a transaction has succeeded at the sender's commitment. TransactionFailed, naming `what` it was."""
    _require_success(await sender.confirm(signature, last_valid_block_height), what)


def _require_success(landing: Landing, what: str) -> None:
    if landing.error is not None:
        raise TransactionFailed(what, str(landing.error))
