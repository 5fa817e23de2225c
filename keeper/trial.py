"""Simulates a batch, and finds the ending that would fail."""

from __future__ import annotations

from dataclasses import dataclass

from solders.hash import Hash
from solders.transaction import VersionedTransaction
from solders.transaction_status import (
    TransactionErrorInstructionError,
    TransactionErrorInsufficientFundsForRent,
    TransactionErrorType,
)

from anchor_client.errors import GpuMarketError, InsufficientLamports, decode_failure
from anchor_client.rpc import Reader, rpc_errors
from anchor_client.transactions import ComputeBudget, Simulation
from anchor_client.transactions.message import empty_signatures
from keeper.endings import Ending
from keeper.errors import KeeperOutOfFunds
from keeper.packing import Batch, Packer

PAYER_INDEX = 0


@dataclass(frozen=True, slots=True)
class Passed:
    """The batch would land, using this much."""

    simulation: Simulation


@dataclass(frozen=True, slots=True)
class Poisoned:
    """The batch would fail; `ending` is the one that makes it fail, None when that cannot be told."""

    error: GpuMarketError
    ending: Ending | None


async def try_batch(reader: Reader, packer: Packer, batch: Batch) -> Passed | Poisoned:
    """What a batch would do. Raises KeeperOutOfFunds and the network's errors."""
    instructions = batch.instructions
    message = packer.message(instructions, Hash.default(), ComputeBudget(price=1 if packer.priced else 0))
    transaction = VersionedTransaction.populate(message, empty_signatures(message))
    with rpc_errors(reader.client):
        response = await reader.client.simulate_transaction(
            transaction, commitment=reader.commitment, replace_recent_blockhash=True
        )
    result = response.value
    logs = tuple(result.logs or ())
    if result.err is None:
        return Passed(Simulation(result.units_consumed or 0, result.loaded_accounts_data_size, logs))
    first = len(message.instructions) - len(instructions)
    error = decode_failure(result.err, instructions=instructions, first=first, logs=logs, program_id=reader.program_id)
    if _is_payers(result.err, error):
        raise KeeperOutOfFunds(packer.payer) from error
    return Poisoned(error, _culprit(batch, result.err, first))


def _is_payers(failure: TransactionErrorType, error: GpuMarketError) -> bool:
    """Whether the fee payer's lack of lamports is what failed."""
    if isinstance(failure, TransactionErrorInsufficientFundsForRent):
        return failure.account_index == PAYER_INDEX
    return isinstance(error, InsufficientLamports)


def _culprit(batch: Batch, failure: TransactionErrorType, first: int) -> Ending | None:
    if isinstance(failure, TransactionErrorInstructionError) and failure.index >= first:
        return batch.ending_of(failure.index - first)
    return batch.endings[0] if len(batch.endings) == 1 else None
