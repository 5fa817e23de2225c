"""Simulates a batch and finds the ending that would fail."""

from __future__ import annotations

from dataclasses import dataclass

from solders.hash import Hash
from solders.transaction_status import (
    TransactionErrorInstructionError,
    TransactionErrorInsufficientFundsForRent,
    TransactionErrorType,
)

from anchor_client.errors import GpuMarketError, InsufficientLamports
from anchor_client.market.program import MarketProgram
from anchor_client.solana.rpc import Reader
from anchor_client.solana.transactions import ComputeBudget, Simulation, try_simulation
from keeper.endings import Ending
from keeper.errors import KeeperOutOfFunds
from keeper.packing import Batch, Packer

PAYER_INDEX = 0


@dataclass(frozen=True, slots=True)
class Poisoned:
    """The batch would fail; `ending` is the one at fault, None if unknown."""

    error: GpuMarketError
    ending: Ending | None


async def try_batch(reader: Reader, packer: Packer, batch: Batch) -> Simulation | Poisoned:
    """Simulates a batch: returns its units, or the reason for its failure. KeeperOutOfFunds, network errors."""
    instructions = batch.instructions
    result = await try_simulation(
        reader.client,
        packer.message(instructions, Hash.default(), ComputeBudget(priority_fee=1 if packer.priced else 0)),
        MarketProgram(reader.program_id),
        commitment=reader.commitment,
        instructions=instructions,
    )
    if isinstance(result, Simulation):
        return result
    if _is_payers(result.cause, result.error):
        raise KeeperOutOfFunds(packer.payer) from result.error
    return Poisoned(result.error, _culprit(batch, result.cause, result.first))


def _is_payers(failure: TransactionErrorType, error: GpuMarketError) -> bool:
    """True if it failed because the fee payer lacks lamports."""
    if isinstance(failure, TransactionErrorInsufficientFundsForRent):
        return failure.account_index == PAYER_INDEX
    return isinstance(error, InsufficientLamports)


def _culprit(batch: Batch, failure: TransactionErrorType, first: int) -> Ending | None:
    if isinstance(failure, TransactionErrorInstructionError) and failure.index >= first:
        return batch.ending_of(failure.index - first)
    return batch.endings[0] if len(batch.endings) == 1 else None
