"""Base58 of any bytes; addresses, signatures and keys have their own conversions in solders."""

from __future__ import annotations

from typing import Final

ALPHABET: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_RADIX: Final = len(ALPHABET)
# Digits taken at once, so that the long number is divided or multiplied once a chunk and not once a digit.
_CHUNK: Final = 10
_CHUNK_RADIX: Final = _RADIX**_CHUNK
_VALUES: Final = {character: value for value, character in enumerate(ALPHABET)}


def encode(data: bytes) -> str:
    """The bytes as base58 text, as memcmp filters take them."""
    number = int.from_bytes(data, "big")
    digits: list[str] = []
    while number:
        number, chunk = divmod(number, _CHUNK_RADIX)
        for _ in range(_CHUNK):
            chunk, digit = divmod(chunk, _RADIX)
            digits.append(ALPHABET[digit])
    zeros = len(data) - len(data.lstrip(b"\0"))
    return ALPHABET[0] * zeros + "".join(reversed(digits)).lstrip(ALPHABET[0])


def decode(text: str) -> bytes:
    """The bytes of base58 text, as compiled instructions carry their data. ValueError for any other character."""
    significant = text.lstrip(ALPHABET[0])
    head = len(significant) % _CHUNK
    number = _value(significant[:head])
    for start in range(head, len(significant), _CHUNK):
        number = number * _CHUNK_RADIX + _value(significant[start : start + _CHUNK])
    zeros = len(text) - len(significant)
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def _value(chunk: str) -> int:
    number = 0
    try:
        for character in chunk:
            number = number * _RADIX + _VALUES[character]
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} is not base58") from None
    return number
