"""The limits and the priority fee a transaction asks for, by ComputeBudget instructions or in its version-1 config."""

from dataclasses import dataclass

from solders.message import MessageV1
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

COMPUTE_BUDGET_PROGRAM = Pubkey.from_string("ComputeBudget111111111111111111111111111111")
REQUEST_HEAP_FRAME = 1
SET_COMPUTE_UNIT_LIMIT = 2
SET_COMPUTE_UNIT_PRICE = 3
SET_LOADED_ACCOUNTS_DATA_SIZE_LIMIT = 4
MICRO_LAMPORTS = 1_000_000
MAX_UNITS = 1_400_000
MAX_LOADED_BYTES = 64 * 1024 * 1024
DEFAULT_HEAP_BYTES = 32 * 1024
DEFAULT_INSTRUCTION_UNITS = 200_000
BUILTIN_INSTRUCTION_UNITS = 3_000
BUILTINS = frozenset(
    Pubkey.from_string(address)
    for address in (
        "11111111111111111111111111111111",
        "ComputeBudget111111111111111111111111111111",
        "BPFLoader1111111111111111111111111111111111",
        "BPFLoader2111111111111111111111111111111111",
        "BPFLoaderUpgradeab1e11111111111111111111111",
        "LoaderV411111111111111111111111111111111111",
        "Vote111111111111111111111111111111111111111",
    )
)
PRECOMPILES = frozenset(
    Pubkey.from_string(address)
    for address in (
        "Ed25519SigVerify111111111111111111111111111",
        "KeccakSecp256k11111111111111111111111111111",
        "Secp256r1SigVerify1111111111111111111111111",
    )
)


@dataclass(frozen=True, slots=True)
class ComputeLimits:
    """Resource limits of a transaction, and lamports it pays beyond those for its signatures."""

    units: int
    heap_bytes: int
    loaded_bytes: int
    priority_fee: int

    @property
    def unit_fee(self) -> int:
        """Micro-lamports a unit, rounded down; 0 for a limit of none."""
        return self.priority_fee * MICRO_LAMPORTS // self.units if self.units else 0


def compute_limits(transaction: VersionedTransaction) -> ComputeLimits:
    """The limits of a transaction. Version 1 has no defaults: what its config leaves out is 0."""
    message = transaction.message
    if isinstance(message, MessageV1):
        config = message.config
        return ComputeLimits(
            min(config.compute_unit_limit or 0, MAX_UNITS),
            config.heap_size or DEFAULT_HEAP_BYTES,
            min(config.loaded_accounts_data_size_limit or 0, MAX_LOADED_BYTES),
            config.priority_fee or 0,
        )
    requests = _requests(transaction)
    units = min(requests.get(SET_COMPUTE_UNIT_LIMIT, _default_units(transaction)), MAX_UNITS)
    unit_fee = requests.get(SET_COMPUTE_UNIT_PRICE, 0)
    return ComputeLimits(
        units,
        requests.get(REQUEST_HEAP_FRAME, DEFAULT_HEAP_BYTES),
        min(requests.get(SET_LOADED_ACCOUNTS_DATA_SIZE_LIMIT, MAX_LOADED_BYTES), MAX_LOADED_BYTES),
        _ceil_division(unit_fee * units, MICRO_LAMPORTS),
    )


def _requests(transaction: VersionedTransaction) -> dict[int, int]:
    message = transaction.message
    return {
        instruction.data[0]: int.from_bytes(instruction.data[1:9], "little")
        for instruction in message.instructions
        if message.account_keys[instruction.program_id_index] == COMPUTE_BUDGET_PROGRAM and instruction.data
    }


def _default_units(transaction: VersionedTransaction) -> int:
    message = transaction.message
    programs = [message.account_keys[instruction.program_id_index] for instruction in message.instructions]
    return sum(
        BUILTIN_INSTRUCTION_UNITS if program in BUILTINS else DEFAULT_INSTRUCTION_UNITS
        for program in programs
        if program not in PRECOMPILES
    )


def _ceil_division(value: int, divisor: int) -> int:
    return -(-value // divisor)
