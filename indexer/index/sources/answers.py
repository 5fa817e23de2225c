"""Answers of nodes to the calls of an index, typed; ValueError for anything else.

Only what an index uses is named. Sizes are bounded so that whatever passes fits its column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from anchor_client.solana.json_rpc import refusal_of

Slot = Annotated[int, Meta(ge=0, le=2**62)]
Index = Annotated[int, Meta(ge=0, lt=2**31)]
SignatureText = Annotated[str, Meta(min_length=64, max_length=88, pattern="^[1-9A-HJ-NP-Za-km-z]+$")]
HashText = Annotated[str, Meta(min_length=32, max_length=44, pattern="^[1-9A-HJ-NP-Za-km-z]+$")]
T = TypeVar("T")


class ListedSignature(Struct, frozen=True, rename="camel"):
    """An entry of getSignaturesForAddress. Few nodes say the place in the block."""

    signature: SignatureText
    slot: Slot
    err: Any
    transaction_index: Index | None = None


class AnswerContext(Struct, frozen=True):
    """Of which slot an answer is."""

    slot: Slot


class AccountData(Struct, frozen=True):
    """An account in base64."""

    data: tuple[str, str]


class AccountsAnswer(Struct, frozen=True):
    """The answer of getMultipleAccounts."""

    context: AnswerContext
    value: list[AccountData | None]


class BlockAnswer(Struct, frozen=True):
    """The answer of getBlock for signatures alone."""

    signatures: list[str]


class Call(Struct, frozen=True, rename="camel"):
    """An instruction; an inner one says how deep in the stack."""

    program_id_index: Index
    data: str
    stack_height: int | None = None


class InnerCalls(Struct, frozen=True):
    """Calls made by the outer instruction at `index`."""

    index: Index
    instructions: list[Call]


class Message(Struct, frozen=True, rename="camel"):
    """A transaction's message."""

    account_keys: list[str]
    instructions: list[Call]


class SignedTransaction(Struct, frozen=True):
    """A transaction."""

    signatures: Annotated[list[SignatureText], Meta(min_length=1)]
    message: Message


class LoadedAddresses(Struct, frozen=True):
    """Accounts from lookup tables."""

    writable: list[str]
    readonly: list[str]


class TransactionMeta(Struct, frozen=True, rename="camel"):
    """Metadata of a transaction: its error, inner calls, loaded addresses and logs."""

    err: Any
    inner_instructions: list[InnerCalls] | None = None
    loaded_addresses: LoadedAddresses | None = None
    log_messages: list[str] | None = None


class TransactionAnswer(Struct, frozen=True, rename="camel"):
    """The answer of getTransaction in `json` encoding."""

    slot: Slot
    transaction: SignedTransaction
    meta: TransactionMeta
    transaction_index: Index | None = None


class _Refusal(Struct, frozen=True):
    code: int
    message: str


class _Envelope(Struct, Generic[T], frozen=True):
    result: T | UnsetType = UNSET
    error: _Refusal | None = None


def reading(kind: Any) -> Callable[[str], Any]:
    """Reads answers whose result is of a kind, for `JsonRpc.call`."""
    decoder = msgspec.json.Decoder(_Envelope[kind])

    def read(raw: str) -> Any:
        try:
            answer = decoder.decode(raw)
        except RecursionError as error:
            raise ValueError("it is nested too deeply") from error
        if answer.error is not None:
            raise refusal_of(answer.error.code, answer.error.message)
        if answer.result is UNSET:
            raise ValueError("it is neither a result nor a refusal")
        return answer.result

    return read
