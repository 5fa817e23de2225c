"""Messages of a topic: transactions, and marks of the slots that they complete."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec import Struct

from indexer.errors import UnreadableMessage
from indexer.index.sources.answers import HashText, Slot
from indexer.index.sources.source import Frontier
from indexer.index.transaction import Transaction

MOST_SLOTS, MOST_INDEX = 2**62, 2**31
"""Bounds of the columns."""


class SentTransaction(Struct, frozen=True, tag="transaction"):
    """A transaction as a source has read it."""

    source: str
    transaction: Transaction


class Mark(Struct, frozen=True, tag="mark"):
    """States that `source` has sent all of slots `first` to `last`."""

    source: str
    genesis: HashText
    first: Slot
    last: Slot
    begins: Slot | None
    """Offset of the first of these transactions; None without any."""
    resume: Frontier | None
    """The source's place to continue from after a restart; None for a range of history."""


Message: TypeAlias = SentTransaction | Mark

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Message)


def encode(message: Message) -> bytes:
    """A message's value."""
    return _encoder.encode(message)


def decode(value: bytes | None, offset: int) -> Message:
    """The message of a value. Raises UnreadableMessage."""
    try:
        message: Message = _decoder.decode(value or b"")
    except (msgspec.MsgspecError, RecursionError) as error:
        raise UnreadableMessage(offset, str(error)) from error
    if isinstance(message, SentTransaction):
        transaction = message.transaction
        if not (0 <= transaction.slot <= MOST_SLOTS and 0 <= transaction.index < MOST_INDEX):
            raise UnreadableMessage(offset, "its place is out of bounds")
    elif message.last < message.first:
        raise UnreadableMessage(offset, "it ends before it begins")
    return message
