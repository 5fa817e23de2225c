"""A transaction that a wallet elsewhere has signed: read, and held against what may be sent for it."""

from __future__ import annotations

from typing import Final

from solders.instruction import Instruction
from solders.transaction import SanitizeError, VersionedTransaction

from anchor_client.solana.errors import ForeignTransaction, InvalidTransaction, MissingSignature, TransactionTooLarge
from anchor_client.solana.program import Program
from anchor_client.solana.transactions.message import PACKET_BYTES, V1_BYTES, ComputeBudget
from anchor_client.solana.transactions.sender import Prepared
from anchor_idl.runtime.errors import IdlError, MissingAccount

_V1_PREFIX: Final = 0x81


def signed_elsewhere(raw: bytes, last_valid_block_height: int, program: Program) -> Prepared:
    """A signed transaction as the sender takes it.

    Raises TransactionTooLarge, InvalidTransaction, MissingSignature, and ForeignTransaction when none of its
    instructions is one of the program's.
    """
    limit = V1_BYTES if raw[:1] == bytes([_V1_PREFIX]) else PACKET_BYTES
    if len(raw) > limit:
        raise TransactionTooLarge(f"The transaction has {len(raw)} bytes; a message of its version takes {limit}")
    try:
        transaction = VersionedTransaction.from_bytes(raw)
        transaction.sanitize()
    except (ValueError, SanitizeError) as error:
        raise InvalidTransaction(f"These bytes are not a transaction: {error}") from error
    if bytes(transaction) != raw:
        raise InvalidTransaction("There are bytes after the transaction")
    if not all(transaction.verify_with_results()):
        raise MissingSignature("A signature of the transaction is missing or wrong")
    if not any(_is_of(transaction, number, program) for number in range(len(transaction.message.instructions))):
        raise ForeignTransaction(f"No instruction of the transaction is one of {program.id}")
    return Prepared(transaction, last_valid_block_height, ComputeBudget(), ())


def _is_of(transaction: VersionedTransaction, number: int, program: Program) -> bool:
    keys = transaction.message.account_keys
    compiled = transaction.message.instructions[number]
    if compiled.program_id_index >= len(keys) or keys[compiled.program_id_index] != program.id:
        return False
    try:
        # What it names is the chain's to judge: it is enough that the program has such an instruction.
        program.instruction(Instruction(program.id, compiled.data, []))
    except MissingAccount:
        return True
    except IdlError:
        return False
    return True
