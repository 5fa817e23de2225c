"""Simulates a transaction: whether it would succeed, and the resources it would use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from solana.rpc.commitment import Commitment
from solders.instruction import Instruction
from solders.message import Message, MessageV0, MessageV1
from solders.rpc.responses import RpcSimulateTransactionResult
from solders.transaction import VersionedTransaction
from solders.transaction_status import TransactionErrorType

from anchor_client.service.errors import GpuMarketError
from anchor_client.solana.node import NodeClient
from anchor_client.solana.program import Program
from anchor_client.solana.transactions.failures import decode_failure
from anchor_client.solana.transactions.message import (
    MAX_COMPUTE_UNITS,
    MAX_LOADED_BYTES,
    ComputeBudget,
    empty_signatures,
)

MARGIN_PERCENT: Final = 10
CLOCK_UNITS: Final = 15_000
"""Extra compute units: if the clock ticks between simulation and landing, a payment and a burn may be added."""

LOADED_BYTES_STEP: Final = 32 * 1024


@dataclass(frozen=True, slots=True)
class Simulation:
    """A successful simulation: compute units, bytes of loaded accounts, logs, and the rest of the node's report."""

    units: int
    loaded_bytes: int | None
    logs: tuple[str, ...]
    result: RpcSimulateTransactionResult | None = field(default=None, repr=False, compare=False)

    def budget(self, priority_fee: int) -> ComputeBudget:
        """Budget of its usage plus a tenth and CLOCK_UNITS, at `priority_fee` micro-lamports a unit."""
        units = min(_with_margin(self.units) + CLOCK_UNITS, MAX_COMPUTE_UNITS)
        if not self.loaded_bytes:
            return ComputeBudget(units, priority_fee)
        steps = -(-_with_margin(self.loaded_bytes) // LOADED_BYTES_STEP)
        return ComputeBudget(units, priority_fee, min(steps * LOADED_BYTES_STEP, MAX_LOADED_BYTES))


@dataclass(frozen=True, slots=True)
class FailedSimulation:
    """A failed simulation: the named error, the runtime's error, and the index of the caller's first instruction."""

    error: GpuMarketError
    cause: TransactionErrorType
    first: int


async def try_simulation(
    client: NodeClient,
    message: Message | MessageV0 | MessageV1,
    program: Program,
    *,
    commitment: Commitment,
    instructions: Sequence[Instruction] = (),
    inner: bool = False,
) -> Simulation | FailedSimulation:
    """Simulates without signatures, on the node's newest blockhash. Raises the network's errors.

    `instructions` are those of the message that the caller knows; they make a failure more precise. `inner` asks for
    those that they call.
    """
    transaction = VersionedTransaction.populate(message, empty_signatures(message))
    result = await client.simulate_transaction(transaction, commitment, inner=inner)
    logs = tuple(result.logs or ())
    if result.err is not None:
        first = len(message.instructions) - len(instructions)
        error = decode_failure(result.err, program, instructions=instructions, first=first, logs=logs)
        return FailedSimulation(error, result.err, first)
    return Simulation(result.units_consumed or 0, result.loaded_accounts_data_size, logs, result)


def _with_margin(value: int) -> int:
    return -(-value * (100 + MARGIN_PERCENT) // 100)
