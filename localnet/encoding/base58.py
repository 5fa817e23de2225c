"""Base58 in Bitcoin's alphabet, for byte strings of any length."""

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
DIGITS = {character: value for value, character in enumerate(ALPHABET)}
CHUNK = 10
CHUNK_BASE = 58**CHUNK


def b58encode(data: bytes) -> str:
    """Base58 text of a byte string."""
    zeros = len(data) - len(data.lstrip(b"\0"))
    number = int.from_bytes(data, "big")
    chunks: list[str] = []
    while number:
        number, part = divmod(number, CHUNK_BASE)
        digits = []
        for _ in range(CHUNK):
            part, digit = divmod(part, 58)
            digits.append(ALPHABET[digit])
        chunks.append("".join(reversed(digits)))
    return "1" * zeros + "".join(reversed(chunks)).lstrip("1")


def b58decode(text: str) -> bytes:
    """The byte string of base58 text. Raises ValueError for a character outside the alphabet."""
    number = 0
    for character in text:
        if character not in DIGITS:
            raise ValueError(f"provided string contained invalid character {character!r}")
        number = number * 58 + DIGITS[character]
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")
