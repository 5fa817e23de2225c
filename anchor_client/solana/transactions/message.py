"""Compiles instructions and a compute budget into a message of any version."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import CompileError, Message, MessageV0, MessageV1, TransactionConfig
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from anchor_client.solana.errors import TransactionTooLarge
from anchor_client.solana.transactions.movements import Movement

MAX_COMPUTE_UNITS: Final = 1_400_000
MAX_LOADED_BYTES: Final = 64 * 1024 * 1024
MICRO_LAMPORTS: Final = 1_000_000
PACKET_BYTES: Final = 1_232
V1_BYTES: Final = 4_096
MAX_ACCOUNTS: Final = 64


class MessageVersion(StrEnum):
    """Versions of a message: legacy and v0 take 1,232 bytes, v1 takes 4,096 and no lookup tables."""

    LEGACY = "legacy"
    V0 = "v0"
    V1 = "v1"


@dataclass(frozen=True, slots=True)
class ComputeBudget:
    """Limits of a transaction: units, micro-lamports a unit, and bytes of accounts it loads (version 1 only)."""

    units: int = MAX_COMPUTE_UNITS
    priority_fee: int = 0
    loaded_bytes: int = MAX_LOADED_BYTES

    @property
    def priority_lamports_ceil(self) -> int:
        """Lamports paid above the signatures' fee, rounded up."""
        return -(-self.priority_fee * self.units // MICRO_LAMPORTS)


@dataclass(frozen=True, slots=True)
class UnsignedTransaction:
    """A transaction for wallets to sign, as `base64` with empty signatures; it lands by `last_valid_block_height`.

    `signers` are who has to sign, the payer first; `fee` is what it costs to send it, lamports; `movements` are what
    it would move now, if it was simulated.
    """

    base64: str
    blockhash: Hash
    last_valid_block_height: int
    version: MessageVersion
    signers: tuple[Pubkey, ...]
    fee: int
    movements: tuple[Movement, ...] = ()


def compile_message(
    instructions: Sequence[Instruction],
    payer: Pubkey,
    blockhash: Hash,
    *,
    version: MessageVersion = MessageVersion.V0,
    budget: ComputeBudget | None = None,
    lookup_tables: Sequence[AddressLookupTableAccount] = (),
) -> Message | MessageV0 | MessageV1:
    """The message of some instructions. TransactionTooLarge when it cannot fit its version."""
    try:
        message = _compiled(instructions, payer, blockhash, version, budget or ComputeBudget(), lookup_tables)
    except (CompileError, ValueError) as error:
        raise TransactionTooLarge(f"The instructions do not fit one transaction: {error}") from error
    if version is MessageVersion.V1 and len(message.account_keys) > MAX_ACCOUNTS:
        names = len(message.account_keys)
        raise TransactionTooLarge(f"The transaction names {names} accounts; a v1 message takes {MAX_ACCOUNTS}")
    size = transaction_size(message)
    limit = V1_BYTES if version is MessageVersion.V1 else PACKET_BYTES
    if size > limit:
        raise TransactionTooLarge(f"The transaction has {size} bytes; a {version} message takes {limit}")
    return message


def fitting(
    instructions: Sequence[Instruction],
    payer: Pubkey,
    lookup_tables: Sequence[AddressLookupTableAccount] = (),
) -> MessageVersion:
    """v0, which every wallet signs, or v1 for instructions that do not fit that."""
    # Any priority fee takes the same place in a message; none takes less.
    budget = ComputeBudget(priority_fee=1)
    try:
        compile_message(instructions, payer, Hash.default(), budget=budget, lookup_tables=lookup_tables)
    except TransactionTooLarge:
        return MessageVersion.V1
    return MessageVersion.V0


def _compiled(
    instructions: Sequence[Instruction],
    payer: Pubkey,
    blockhash: Hash,
    version: MessageVersion,
    budget: ComputeBudget,
    lookup_tables: Sequence[AddressLookupTableAccount],
) -> Message | MessageV0 | MessageV1:
    if version is MessageVersion.V1:
        # A version-1 message has its limits in itself, and needs no instructions for them.
        config = TransactionConfig(
            priority_fee=budget.priority_lamports_ceil or None,
            compute_unit_limit=budget.units,
            loaded_accounts_data_size_limit=budget.loaded_bytes,
        )
        return MessageV1.try_compile(payer, instructions, blockhash, config)
    budgeted = [*_budget_instructions(budget), *instructions]
    if version is MessageVersion.LEGACY:
        return Message.new_with_blockhash(budgeted, payer, blockhash)
    return MessageV0.try_compile(payer, budgeted, lookup_tables, blockhash)


def unsigned(
    instructions: Sequence[Instruction],
    payer: Pubkey,
    blockhash: Hash,
    last_valid_block_height: int,
    *,
    version: MessageVersion = MessageVersion.V0,
    budget: ComputeBudget | None = None,
    movements: tuple[Movement, ...] = (),
    signature_fee: int,
) -> UnsignedTransaction:
    """A transaction for a wallet to sign; needs no key and no network. TransactionTooLarge.

    `signature_fee` is what the cluster takes for a signature, in lamports.
    """
    message = compile_message(instructions, payer, blockhash, version=version, budget=budget)
    transaction = VersionedTransaction.populate(message, empty_signatures(message))
    signers = message.account_keys[: message.header.num_required_signatures]
    return UnsignedTransaction(
        base64=base64.b64encode(bytes(transaction)).decode(),
        blockhash=blockhash,
        last_valid_block_height=last_valid_block_height,
        version=version,
        signers=tuple(signers),
        fee=len(signers) * signature_fee + (budget or ComputeBudget()).priority_lamports_ceil,
        movements=movements,
    )


def empty_signatures(message: Message | MessageV0 | MessageV1) -> list[Signature]:
    """As many default signatures as the message requires."""
    return [Signature.default()] * message.header.num_required_signatures


def transaction_size(message: Message | MessageV0 | MessageV1) -> int:
    """Bytes of the signed transaction."""
    return len(bytes(VersionedTransaction.populate(message, empty_signatures(message))))


def _budget_instructions(budget: ComputeBudget) -> list[Instruction]:
    instructions = [set_compute_unit_limit(budget.units)]
    if budget.priority_fee:
        instructions.append(set_compute_unit_price(budget.priority_fee))
    return instructions


def instructions_of(message: Message | MessageV0 | MessageV1) -> tuple[Instruction, ...]:
    """The instructions of a message that was compiled elsewhere, as far as its own keys show: for people and errors."""
    keys = message.account_keys
    return tuple(
        Instruction(
            keys[each.program_id_index],
            bytes(each.data),
            [AccountMeta(keys[place], False, False) for place in bytes(each.accounts) if place < len(keys)],
        )
        for each in message.instructions
    )
