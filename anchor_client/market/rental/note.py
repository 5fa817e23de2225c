"""A host's message to a renter whose rental it gives up, for them alone.

It is a memo of the transaction that ends the rental, sealed to the order's key as the connection is.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.errors import OrderNotSealed
from anchor_client.sealing import SealKey, seal, unseal

MEMO_PROGRAM: Final = Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
MAX_BYTES: Final = 160
"""Of the text: sealed, it has to fit beside the ending in the 1,232 bytes of a transaction."""
PREFIX: Final = "gpu-market:"
CUT_OFF: Final = "..."
FIRST_BYTES: Final = 40
"""Bytes that are kept from the beginning of a text that is too long."""
_NOTE: Final = re.compile(rf"{PREFIX}([A-Za-z0-9+/]+={{0,2}})")


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence for the holder of an order's key."""

    text: str
    renter_key: bytes

    def memo(self) -> Instruction:
        """Seals it, on one line and in MAX_BYTES, for publication. BadKeyFile if the key is invalid."""
        sealed = seal(_bounded(on_one_line(self.text)).encode(), self.renter_key)
        return Instruction(MEMO_PROGRAM, f"{PREFIX}{b64encode(sealed).decode()}".encode(), [])


def sealed_notes(memo: str) -> Iterator[bytes]:
    """Byte strings that may be sealed notes, from the memos of a transaction as a node reports them."""
    for found in _NOTE.finditer(memo):
        try:
            yield b64decode(found[1], validate=True)
        except NotBase64:
            continue  # anybody's memo may look like one


def note_in(memo: str, key: SealKey) -> str | None:
    """The sentence among the memos of a transaction that was sealed to a key."""
    for sealed in sealed_notes(memo):
        try:
            said = unseal(sealed, key).decode()
        except (OrderNotSealed, UnicodeDecodeError):
            continue  # nor is it this key's, or a host's
        return on_one_line(said) or None
    return None


def on_one_line(text: str) -> str:
    """Text without line breaks and other characters that a terminal would obey."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _bounded(text: str) -> str:
    """Long text without its middle: its start names the failure, its end the cause."""
    data = text.encode()
    if len(data) <= MAX_BYTES:
        return text
    last = MAX_BYTES - FIRST_BYTES - len(CUT_OFF)
    return data[:FIRST_BYTES].decode(errors="ignore") + CUT_OFF + data[-last:].decode(errors="ignore")
