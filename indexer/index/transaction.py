"""A finalized transaction, as much of it as events need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import msgspec

from anchor_client.generated.program import PROGRAM_ID
from anchor_idl import base58
from indexer.errors import UnreadableTransaction
from indexer.index.sources.answers import TransactionAnswer

OUTER_HEIGHT, MOST_HEIGHT = 1, 64
"""In the stack of calls; runtimes allow far fewer."""


class InnerInstruction(NamedTuple):
    """A call made by another instruction, and what it was given, which is left out where another program was called.
    `stack_height` is 2 for what an outer one called."""

    program: str
    data: bytes
    stack_height: int | None


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction: its place in the chain, whether it failed, and its instructions."""

    signature: str
    slot: int
    index: int
    """Place in the block."""
    failed: bool
    programs: tuple[str, ...]
    """Program of each outer instruction."""
    inner: Mapping[int, tuple[InnerInstruction, ...]]
    """Calls by the index of their outer instruction, in the order they were made."""


def transaction_of(answer: TransactionAnswer, program: str, index: int | None = None) -> Transaction:
    """Reads getTransaction's answer; `index` is its place in the block where the node does not say it.

    Raises UnreadableTransaction if the answer lacks what an index of `program` needs, or contradicts itself.
    """
    meta = answer.meta
    message = answer.transaction.message
    signature = answer.transaction.signatures[0]
    failed = meta.err is not None
    loaded = meta.loaded_addresses
    keys = list(message.account_keys)
    if loaded is not None:
        # Solana numbers a message's accounts in this order: its own, then those of lookup tables that it writes.
        keys += [*loaded.writable, *loaded.readonly]
    if not failed and meta.inner_instructions is None:
        raise UnreadableTransaction(signature, "the node keeps no inner instructions")
    place = index if answer.transaction_index is None else answer.transaction_index
    if place is None:
        raise UnreadableTransaction(signature, "its place in the block is unknown")
    try:
        inner = {
            group.index: tuple(
                [
                    InnerInstruction(called, base58.decode(call.data) if called == program else b"", call.stack_height)
                    for call in group.instructions
                    for called in (keys[call.program_id_index],)
                ]
            )
            for group in meta.inner_instructions or ()
        }
        programs = tuple([keys[call.program_id_index] for call in message.instructions])
    except IndexError as error:
        raise UnreadableTransaction(signature, "it calls a program that it does not name") from error
    except ValueError as error:
        raise UnreadableTransaction(signature, f"a call's data is not base58: {error}") from error
    if not failed:
        require_calls(signature, program, programs, inner, meta.log_messages or ())
    return Transaction(signature, answer.slot, place, failed, programs, inner)


def transaction_from_json(
    result: Mapping[str, object], program: str = str(PROGRAM_ID), index: int | None = None
) -> Transaction:
    """The same of an answer that was parsed or recorded."""
    return transaction_of(msgspec.convert(result, TransactionAnswer), program, index)


def require_calls(
    signature: str,
    program: str,
    programs: Sequence[str],
    inner: Mapping[int, tuple[InnerInstruction, ...]],
    logs: Iterable[str],
) -> None:
    """Compares the program's inner calls with those in the logs, as far as the logs go.

    Programs cannot write such lines: theirs begin with `Program log:`. UnreadableTransaction.
    """
    if max(inner, default=-1) >= len(programs):
        raise UnreadableTransaction(signature, "it has calls of an instruction that it does not have")
    told = _lines_of_inner_calls(program)
    logged = len([line for line in logs if line in told])
    known = len([call for calls in inner.values() for call in calls if call.program == program])
    if known < logged:
        raise UnreadableTransaction(signature, f"the node reports {known} of the program's {logged} inner calls")


@cache
def _lines_of_inner_calls(program: str) -> frozenset[str]:
    return frozenset(f"Program {program} invoke [{height}]" for height in range(OUTER_HEIGHT + 1, MOST_HEIGHT + 1))
