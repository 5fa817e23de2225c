"""An SSH public key of an order, read the way the machine's SSH server compares it: type and key, byte for byte."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from typing import Final

BYTE_ORDER_MARK: Final = "\ufeff"
ED25519_BYTES: Final = 32
MIN_RSA_BITS: Final = 1_024
"""OpenSSH refuses shorter ones."""
MAX_RSA_BITS: Final = 16_384
_CURVES: Final = {"nistp256": 32, "nistp384": 48, "nistp521": 66}
"""Bytes of a coordinate."""
_PRIMES: Final = {
    "nistp256": 2**256 - 2**224 + 2**192 + 2**96 - 1,
    "nistp384": 2**384 - 2**128 - 2**96 + 2**32 - 1,
    "nistp521": 2**521 - 1,
}
_CONSTANTS: Final = {
    "nistp256": 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    "nistp384": 0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
    "nistp521": int(
        "051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e1"
        "56193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00",
        16,
    ),
}
"""y² = x³ - 3x + constant, modulo the prime (FIPS 186-4, D.1.2)."""
_UNCOMPRESSED: Final = 4
_SECURITY_KEY: Final = "@openssh.com"
TYPES: Final = (
    "ssh-ed25519",
    *(f"ecdsa-sha2-{curve}" for curve in _CURVES),
    "ssh-rsa",
    f"sk-ssh-ed25519{_SECURITY_KEY}",
    f"sk-ecdsa-sha2-nistp256{_SECURITY_KEY}",
)
_CUT_SHORT: Final = "its key is cut short"


def read_public_key(text: str) -> str:
    """Type, key and comment on one line, with single blanks between them. ValueError says what is wrong with the text.

    Blank lines, comment lines and a byte order mark are left out.
    """
    lines = [line.strip(" \t") for line in re.split(r"[\r\n]+", text.removeprefix(BYTE_ORDER_MARK))]
    lines = [line for line in lines if line and not line.startswith("#")]
    _require_no_other_form(lines)
    kind, *rest = re.split(r"[ \t]+", lines[0], maxsplit=2)
    _require_type(kind)
    if not rest:
        raise ValueError(f"it has no key after {kind}")
    _require_key(kind, rest[0])
    return " ".join((kind, *rest))


def _require_no_other_form(lines: list[str]) -> None:
    if not lines:
        raise ValueError("it is empty")
    if lines[0].startswith("---- BEGIN SSH2"):
        raise ValueError("it is not in OpenSSH's form: convert it with `ssh-keygen -i -f FILE`")
    if lines[0].startswith(("-----BEGIN", "PuTTY-User-Key")):
        raise ValueError("it is a private key: give the file of the public key, whose name ends with .pub")
    if len(lines) > 1:
        raise ValueError(f"it has {len(lines)} lines: give one OpenSSH public key on one line")


def _require_type(kind: str) -> None:
    if "-cert-v" in kind:
        raise ValueError("it is a certificate: give the public key that it certifies")
    if kind not in TYPES:
        raise ValueError(f"{kind[:40]!r} is not a type of key that machines accept: use {', '.join(TYPES)}")


def _require_key(kind: str, encoded: str) -> None:
    try:
        blob = b64decode(encoded, validate=True)
    except NotBase64:
        raise ValueError(f"{_CUT_SHORT}, or not base64") from None
    if b64encode(blob).decode() != encoded:
        raise ValueError("its base64 differs from what OpenSSH writes")
    inner, rest = _string(blob)
    if inner != kind.encode():
        raise ValueError(f"it says {kind}, but its key is of type {inner.decode('ascii', 'replace')[:40]!r}")
    if _after_key(kind, rest):
        raise ValueError("its key has more bytes than its type takes")


def _after_key(kind: str, fields: bytes) -> bytes:
    """Checks the fields of a type; returns the bytes after them."""
    if kind == "ssh-rsa":
        exponent, fields = _string(fields)
        modulus, fields = _string(fields)
        if not _is_odd_number(exponent) or not _is_odd_number(modulus):
            raise ValueError("its key is not an RSA key")
        if (bits := int.from_bytes(modulus).bit_length()) < MIN_RSA_BITS:
            raise ValueError(f"its RSA key has {bits} bits; it needs at least {MIN_RSA_BITS}")
        if bits > MAX_RSA_BITS:
            raise ValueError(f"its RSA key has {bits} bits; servers take at most {MAX_RSA_BITS}")
        return fields
    curve = kind.removesuffix(_SECURITY_KEY).rpartition("-")[2]
    if curve in _CURVES:
        named, fields = _string(fields)
        point, fields = _string(fields)
        if named != curve.encode() or not _is_on(curve, point):
            raise ValueError(f"its key is not one of the curve {curve}")
    else:
        point, fields = _string(fields)
        if len(point) != ED25519_BYTES:
            raise ValueError(f"its key has {len(point)} bytes, not {ED25519_BYTES}")
    if kind.endswith(_SECURITY_KEY):
        application, fields = _string(fields)
        if b"\0" in application:
            raise ValueError("its application has a NUL byte")
    return fields


def _is_on(curve: str, point: bytes) -> bool:
    """True for an uncompressed point of the curve: servers refuse any other."""
    size, prime = _CURVES[curve], _PRIMES[curve]
    if len(point) != 1 + 2 * size or point[0] != _UNCOMPRESSED:
        return False
    x, y = int.from_bytes(point[1 : 1 + size]), int.from_bytes(point[1 + size :])
    return max(x, y) < prime and (y * y - (x**3 - 3 * x + _CONSTANTS[curve])) % prime == 0


def _string(blob: bytes) -> tuple[bytes, bytes]:
    """The first string of a blob, and the rest."""
    end = 4 + int.from_bytes(blob[:4])
    if len(blob) < max(4, end):
        raise ValueError(_CUT_SHORT)
    return blob[4:end], blob[end:]


def _is_odd_number(number: bytes) -> bool:
    """True for an odd positive number in its shortest form."""
    is_shortest = number[:1] != b"\0" or number[1:2] >= b"\x80"
    return bool(number) and number[0] < 0x80 and is_shortest and number[-1] % 2 == 1
