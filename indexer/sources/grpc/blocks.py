"""Blocks of a stream, in the form that RPC's transactions have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_idl import base58
from indexer.errors import UnreadableTransaction
from indexer.sources.answers import (
    Call,
    InnerCalls,
    LoadedAddresses,
    Message,
    Signed,
    TransactionAnswer,
    TransactionMeta,
)
from indexer.transaction import Transaction, transaction_of
from yellowstone.generated.geyser_pb2 import SubscribeUpdateBlock, SubscribeUpdateTransactionInfo
from yellowstone.generated.solana_storage_pb2 import InnerInstructions, TransactionStatusMeta

MOST_SLOTS: Final = 2**62
MOST_INDEX: Final = 2**31
"""What does not fit a column is refused, as in what RPC nodes answer."""


@dataclass(frozen=True, slots=True)
class Block:
    """A whole block: the program's transactions in it, and the slot of the block before."""

    slot: int
    parent: int
    transactions: tuple[Transaction, ...]


def block_of(told: SubscribeUpdateBlock, program: str) -> Block:
    """Reads a block. Raises UnreadableTransaction."""
    if told.slot > MOST_SLOTS or told.parent_slot >= told.slot:
        raise UnreadableTransaction(f"in slot {told.slot}", f"its block follows slot {told.parent_slot}")
    infos = sorted(told.transactions, key=lambda info: info.index)
    block_time = told.block_time.timestamp if told.HasField("block_time") else 0
    transactions = [_transaction(info, told.slot, block_time, program) for info in infos]
    return Block(told.slot, told.parent_slot, tuple(transactions))


def _transaction(info: SubscribeUpdateTransactionInfo, slot: int, block_time: int, program: str) -> Transaction:
    try:
        signature = str(Signature.from_bytes(info.signature))
        if info.index >= MOST_INDEX:
            raise ValueError(f"its place in the block is {info.index}")
        if info.meta.HasField("err"):
            return Transaction(signature, slot, info.index, block_time, True, (), {})
        message = Message(
            account_keys=[_address(key) for key in info.transaction.message.account_keys],
            instructions=[Call(call.program_id_index, "") for call in info.transaction.message.instructions],
        )
        answer = TransactionAnswer(slot, Signed([signature], message), _meta(info.meta), block_time, info.index)
    except ValueError as error:
        raise UnreadableTransaction(info.signature.hex(), str(error)) from error
    return transaction_of(answer, program)


def _meta(meta: TransactionStatusMeta) -> TransactionMeta:
    loaded = LoadedAddresses(
        writable=[_address(key) for key in meta.loaded_writable_addresses],
        readonly=[_address(key) for key in meta.loaded_readonly_addresses],
    )
    inner = None if meta.inner_instructions_none else [_inner(group) for group in meta.inner_instructions]
    return TransactionMeta(None, inner, loaded, list(meta.log_messages))


def _inner(group: InnerInstructions) -> InnerCalls:
    calls = [
        Call(
            call.program_id_index,
            base58.encode(call.data),
            call.stack_height if call.HasField("stack_height") else None,
        )
        for call in group.instructions
    ]
    return InnerCalls(group.index, calls)


@lru_cache(maxsize=4_096)
def _address(key: bytes) -> str:
    return str(Pubkey.from_bytes(key))
