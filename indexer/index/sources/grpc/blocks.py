"""Blocks of a stream, in the form that RPC's transactions have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.solana.yellowstone.generated.geyser_pb2 import SubscribeUpdateBlock, SubscribeUpdateTransactionInfo
from anchor_client.solana.yellowstone.generated.solana_storage_pb2 import InnerInstructions
from indexer.errors import UnreadableTransaction
from indexer.index.transaction import InnerInstruction, Transaction, require_calls

MOST_SLOTS: Final = 2**62
MOST_INDEX: Final = 2**31
"""Bounds of the columns: values beyond them are refused, as in answers of RPC nodes."""


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
    transactions = [_transaction(info, told.slot, program) for info in infos]
    return Block(told.slot, told.parent_slot, tuple(transactions))


def _transaction(info: SubscribeUpdateTransactionInfo, slot: int, program: str) -> Transaction:
    try:
        signature = str(Signature.from_bytes(info.signature))
        if info.index >= MOST_INDEX:
            raise ValueError(f"its place in the block is {info.index}")
        if info.meta.HasField("err"):
            return Transaction(signature, slot, info.index, True, (), {})
        called = info.transaction.message
        keys = [
            _address(key)
            for part in (called.account_keys, info.meta.loaded_writable_addresses, info.meta.loaded_readonly_addresses)
            for key in part
        ]
        if info.meta.inner_instructions_none:
            raise ValueError("the server keeps no inner instructions")
        programs = tuple([keys[call.program_id_index] for call in called.instructions])
        inner = {group.index: _inner(group, keys, program) for group in info.meta.inner_instructions}
    except IndexError as error:
        raise UnreadableTransaction(info.signature.hex(), "it calls a program that it does not name") from error
    except ValueError as error:
        raise UnreadableTransaction(info.signature.hex(), str(error)) from error
    require_calls(signature, program, programs, inner, info.meta.log_messages)
    return Transaction(signature, slot, info.index, False, programs, inner)


def _inner(group: InnerInstructions, keys: Sequence[str], program: str) -> tuple[InnerInstruction, ...]:
    return tuple(
        [
            InnerInstruction(
                called,
                call.data if called == program else b"",
                call.stack_height if call.HasField("stack_height") else None,
            )
            for call in group.instructions
            for called in (keys[call.program_id_index],)
        ]
    )


@lru_cache(maxsize=4_096)
def _address(key: bytes) -> str:
    return str(Pubkey.from_bytes(key))
