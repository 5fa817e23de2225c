"""Base58 of any bytes; addresses, signatures and keys have their own conversions in solders."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

ALPHABET: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_RADIX: Final = len(ALPHABET)
_PAIRS: Final = [high + low for high in ALPHABET for low in ALPHABET]
# Digits taken at once, so that the long number is divided once a chunk and not once a digit.
_CHUNK: Final = 10
_CHUNK_RADIX: Final = _RADIX**_CHUNK
_DIGITS: Final = ALPHABET.encode()
_VALUES: Final = bytes.maketrans(ALPHABET.encode(), bytes(range(_RADIX)))
_LANE_BITS: Final = 8


def encode(data: bytes) -> str:
    """The bytes as base58 text, as memcmp filters take them."""
    number = int.from_bytes(data, "big")
    digits: list[str] = []
    while number:
        number, chunk = divmod(number, _CHUNK_RADIX)
        for _ in range(_CHUNK // 2):
            chunk, pair = divmod(chunk, len(_PAIRS))
            digits.append(_PAIRS[pair])
    zeros = len(data) - len(data.lstrip(b"\0"))
    return ALPHABET[0] * zeros + "".join(reversed(digits)).lstrip(ALPHABET[0])


def decode(text: str) -> bytes:
    """The bytes of base58 text, as compiled instructions carry their data. ValueError for any other character."""
    digits = text.encode()
    if digits.translate(None, _DIGITS):
        wrong = next(character for character in text if character not in ALPHABET)
        raise ValueError(f"{wrong!r} is not base58")
    number = _number(digits.translate(_VALUES))
    zeros = len(text) - len(text.lstrip(ALPHABET[0]))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def _number(digits: bytes) -> int:
    """The number with these digits, one a byte, the first the highest.

    Joins neighbours, all of them in one operation on a long integer, until one is left: digits into pairs, pairs into
    fours. A joined lane is twice as wide and its value below the square of the radix, so none spills into the next.
    """
    number, lanes, bits, radix = int.from_bytes(digits, "big"), len(digits), _LANE_BITS, _RADIX
    while lanes > 1:
        lanes = (lanes + 1) // 2
        low = _every_second(lanes, bits)
        number = (number >> bits & low) * radix + (number & low)
        bits, radix = 2 * bits, radix * radix
    return number


@lru_cache(maxsize=512)
def _every_second(pairs: int, bits: int) -> int:
    """Ones in the lower lane of each pair."""
    lane = (1 << bits) - 1
    return sum(lane << 2 * bits * pair for pair in range(pairs))
