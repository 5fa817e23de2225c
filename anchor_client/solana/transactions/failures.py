"""Decoding a failed transaction into the error that explains it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.transaction_status import (
    InstructionErrorBorshIO,
    InstructionErrorCustom,
    InstructionErrorFieldless,
    TransactionErrorFieldless,
    TransactionErrorInstructionError,
    TransactionErrorInsufficientFundsForRent,
    TransactionErrorType,
)

from anchor_client.service.errors import GpuMarketError
from anchor_client.solana.errors import runtime
from anchor_client.solana.program import Program
from anchor_client.solana.program_ids import ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM
from anchor_idl.runtime.errors import IdlError

_SHORT: Final = re.compile(r"insufficient lamports (\d+), need (\d+)")
_FAILED: Final = re.compile(r"^Program (\w+) failed: ")

_TRANSACTION: Final[Mapping[str, tuple[type[runtime.TransactionRefused], str]]] = {
    "AccountNotFound": (runtime.InsufficientLamports, "The fee payer has no SOL on this cluster"),
    "InsufficientFundsForFee": (runtime.InsufficientLamports, "The fee payer cannot pay the transaction fee"),
    "InvalidAccountForFee": (runtime.InsufficientLamports, "The fee payer is not a wallet"),
    "BlockhashNotFound": (runtime.BlockhashExpired, "The transaction's blockhash is too old"),
    "AlreadyProcessed": (runtime.AlreadyProcessed, "The transaction has already landed"),
    "AccountInUse": (runtime.AccountBusy, "An account of the transaction is in use"),
    "WouldExceedMaxAccountCostLimit": (runtime.AccountBusy, "The block has no room left for one of the accounts"),
    "WouldExceedMaxBlockCostLimit": (runtime.AccountBusy, "The block is full"),
    "WouldExceedAccountDataBlockLimit": (runtime.AccountBusy, "The block is full of new account data"),
    "ProgramAccountNotFound": (runtime.ProgramMissing, "A program of the transaction is not on this cluster"),
    "InvalidProgramForExecution": (runtime.ProgramMissing, "A program of the transaction cannot run"),
    "SignatureFailure": (runtime.MissingSignature, "A signature of the transaction is wrong"),
    "MissingSignatureForFee": (runtime.MissingSignature, "The fee payer has not signed"),
}
_INSTRUCTION: Final[Mapping[str, tuple[type[runtime.TransactionRefused], str]]] = {
    "InsufficientFunds": (runtime.InsufficientLamports, "An account has too few lamports"),
    "MissingRequiredSignature": (runtime.MissingSignature, "A required signature is missing"),
    "ComputationalBudgetExceeded": (runtime.ComputeExceeded, "The compute units are used up"),
    "UninitializedAccount": (runtime.AccountMissing, "An account does not exist"),
    "InvalidAccountData": (runtime.AccountMissing, "An account is missing or of another kind"),
    "InvalidAccountOwner": (runtime.AccountMissing, "An account is missing or belongs to another program"),
    "IllegalOwner": (runtime.AccountMissing, "An account is missing or belongs to another program"),
    "IncorrectProgramId": (runtime.AccountMissing, "An account is missing or belongs to another program"),
    "AccountDataTooSmall": (runtime.AccountMissing, "An account is missing or too small"),
    "AccountAlreadyInitialized": (runtime.AccountAddressTaken, "The account already exists"),
    "UnsupportedProgramId": (runtime.ProgramMissing, "A program is not on this cluster"),
}
_SYSTEM: Final[Mapping[int, tuple[type[runtime.TransactionRefused], str]]] = {
    0: (runtime.AccountAddressTaken, "An account that would be created already exists"),
    1: (runtime.InsufficientLamports, "The wallet has too few lamports for the transfer or the new account"),
}
_TOKEN: Final[Mapping[int, tuple[type[runtime.TransactionRefused], str]]] = {
    0: (runtime.InsufficientLamports, "A token account is not rent exempt"),
    1: (runtime.TokenBalanceTooLow, "A token account holds too little"),
    2: (runtime.TokenProgramRefusal, "The account is not a mint"),
    3: (runtime.TokenMintMismatch, "A token account is of another mint"),
    4: (runtime.TokenOwnerMismatch, "The signer does not own the token account or the mint"),
    5: (runtime.TokenProgramRefusal, "The mint's supply is fixed"),
    6: (runtime.AccountAddressTaken, "The token account already exists"),
    11: (runtime.TokenProgramRefusal, "A token account that is not empty cannot be closed"),
    17: (runtime.TokenAccountFrozen, "The token account is frozen"),
}
_NAMES: Final[Mapping[Pubkey, str]] = {
    SYSTEM_PROGRAM: "system",
    TOKEN_PROGRAM: "token",
    ASSOCIATED_TOKEN_PROGRAM: "associated token",
}


def decode_failure(
    error: TransactionErrorType,
    program: Program,
    *,
    instructions: Sequence[Instruction] = (),
    first: int = 0,
    logs: Sequence[str] = (),
) -> GpuMarketError:
    """The exception for a transaction's error: the program's named refusal, or one of `runtime`.

    `instructions` are the transaction's top-level ones from number `first` on, `logs` its own; both only make the
    answer more precise.
    """
    lines = tuple(logs)
    match error:
        case TransactionErrorInstructionError():
            return _instruction_failure(error, instructions, first, lines, program)
        case TransactionErrorInsufficientFundsForRent():
            return runtime.InsufficientLamports("An account would be left with less than its rent", lines)
        case TransactionErrorFieldless():
            name = _name(error)
            kind, message = _TRANSACTION.get(name, (runtime.TransactionRefused, f"The cluster refused: {name}"))
            return kind(message, lines)
    return runtime.TransactionRefused(f"The cluster refused: {error}", lines)


def _instruction_failure(
    error: TransactionErrorInstructionError,
    instructions: Sequence[Instruction],
    first: int,
    logs: tuple[str, ...],
    program: Program,
) -> GpuMarketError:
    index = error.index - first
    instruction = instructions[index] if 0 <= index < len(instructions) else None
    context = _context(instruction, index, program)
    match error.err:
        case InstructionErrorCustom(code=code):
            called = program.id if instruction is None else instruction.program_id
            return _custom(_failed_program(logs) or called, code, context, logs, program)
        case InstructionErrorFieldless():
            # One that runs out fails with ProgramFailedToComplete, as one that crashes does: only the log differs.
            name = "ComputationalBudgetExceeded" if _ran_out(logs) else _name(error.err)
            kind, message = _INSTRUCTION.get(name, (runtime.InstructionRefused, f"The runtime refused: {name}"))
            return kind(f"{message} ({context})", logs)
        case InstructionErrorBorshIO():
            return runtime.InstructionRefused(f"The arguments cannot be read ({context})", logs)
    return runtime.InstructionRefused(f"The runtime refused: {error.err} ({context})", logs)


def _custom(failed: Pubkey, code: int, context: str, logs: tuple[str, ...], program: Program) -> GpuMarketError:
    if failed == program.id and not program.owns_code(code):
        # The code of a program that it called: it looks at balances and owners itself before it calls the token
        # program, so a code that both have is the system program's.
        failed = SYSTEM_PROGRAM if code in _SYSTEM else TOKEN_PROGRAM
    if failed == program.id:
        return program.refusal(code, context, logs)
    known: Mapping[int, tuple[type[runtime.TransactionRefused], str]] = {}
    other: type[runtime.TransactionRefused] = runtime.InstructionRefused
    if failed == TOKEN_PROGRAM:
        known = _TOKEN
        other = runtime.TokenProgramRefusal
    elif failed == SYSTEM_PROGRAM:
        known = _SYSTEM
        other = runtime.SystemProgramRefusal
    kind, message = known.get(code, (other, f"Program {failed} refused with code {code}"))
    return kind(f"{message}{_shortage(logs)} ({context})", logs)


def _shortage(logs: Sequence[str]) -> str:
    """The balance and the need that the system program logs when lamports are short; empty if it logs none."""
    for match in filter(None, map(_SHORT.search, logs)):
        return f": it has {match.group(1)} and needs {match.group(2)}"
    return ""


def _ran_out(logs: Sequence[str]) -> bool:
    """A program that runs out of compute units fails like any other; only the log shows it."""
    return any("exceeded CUs meter" in line for line in logs)


def _failed_program(logs: Sequence[str]) -> Pubkey | None:
    """The innermost program that failed: it is the first to say so."""
    for line in logs:
        match = _FAILED.match(line)
        if match is not None:
            return Pubkey.from_string(match.group(1))
    return None


def _context(instruction: Instruction | None, index: int, program: Program) -> str:
    if instruction is None:
        return f"instruction {index}"
    if instruction.program_id != program.id:
        name = _NAMES.get(instruction.program_id)
        return (
            f"instruction {index} of program {instruction.program_id}"
            if name is None
            else f"{name} instruction {index}"
        )
    try:
        return program.instruction(instruction).name
    except IdlError:
        return f"instruction {index}"


def _name(error: TransactionErrorFieldless | InstructionErrorFieldless) -> str:
    return repr(error).rpartition(".")[2]
