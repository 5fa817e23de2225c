"""Bytes from base58, the one encoding RPC has for inner instructions."""

from __future__ import annotations

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
CHUNK = 10
_VALUES = {character: value for value, character in enumerate(ALPHABET)}
_CHUNK_RADIX = 58**CHUNK


def b58decode(text: str) -> bytes:
    """The bytes; ValueError for a character that base58 has not."""
    significant = text.lstrip("1")
    head = len(significant) % CHUNK
    number = _chunk(significant[:head])
    for start in range(head, len(significant), CHUNK):
        number = number * _CHUNK_RADIX + _chunk(significant[start : start + CHUNK])
    zeros = len(text) - len(significant)
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def _chunk(text: str) -> int:
    number = 0
    try:
        for character in text:
            number = number * 58 + _VALUES[character]
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} is not base58") from None
    return number
