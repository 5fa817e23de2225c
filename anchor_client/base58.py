"""Base58 of any bytes; addresses, signatures and keys have their own conversions in solders."""

from __future__ import annotations

from typing import Final

ALPHABET: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def encode(data: bytes) -> str:
    """The bytes as base58 text, as memcmp filters take them."""
    number = int.from_bytes(data, "big")
    digits: list[str] = []
    while number:
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    zeros = len(data) - len(data.lstrip(b"\0"))
    return ALPHABET[0] * zeros + "".join(reversed(digits))


def decode(text: str) -> bytes:
    """The bytes of base58 text, as compiled instructions carry their data; ValueError."""
    number = 0
    for character in text:
        number = number * len(ALPHABET) + ALPHABET.index(character)
    zeros = len(text) - len(text.lstrip(ALPHABET[0]))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")
