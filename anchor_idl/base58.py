"""Base58 of any bytes; addresses, signatures and keys have their own conversions in solders."""

from __future__ import annotations

from typing import Final

from gmpy2 import mpz

ALPHABET: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_RADIX: Final = len(ALPHABET)
# The same digits as GMP has them, which knows this radix by an alphabet of its own.
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv"
_FROM_DIGITS: Final = str.maketrans(_DIGITS, ALPHABET)
_TO_DIGITS: Final = bytes(
    ord(_DIGITS[ALPHABET.index(chr(code))]) if chr(code) in ALPHABET else ord("?") for code in range(256)
)


def encode(data: bytes) -> str:
    """The bytes as base58 text, as memcmp filters take them."""
    number = int.from_bytes(data, "big")
    zeros = len(data) - len(data.lstrip(b"\0"))
    digits = mpz(number).digits(_RADIX) if number else ""
    return ALPHABET[0] * zeros + digits.translate(_FROM_DIGITS)


def decode(text: str) -> bytes:
    """The bytes of base58 text, as compiled instructions carry their data. ValueError for any other character."""
    zeros = len(text) - len(text.lstrip(ALPHABET[0]))
    digits = text[zeros:].encode().translate(_TO_DIGITS)
    try:
        number = int(mpz(digits, _RADIX)) if digits else 0
    except ValueError:
        wrong = next(character for character in text if character not in ALPHABET)
        raise ValueError(f"{wrong!r} is not base58") from None
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")
