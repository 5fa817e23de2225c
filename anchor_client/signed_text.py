"""Texts that a wallet signs: as they are, or in an envelope of Solana's off-chain messages, as hardware wallets do.

An envelope begins with SIGNING_DOMAIN and its version. Then come, with lengths as little-endian u16:

    version 0         application (32 bytes), format, number of signers, signers, length, text
    version 0, short  format, length, text: `solana sign-offchain-message` and older firmware
    version 1         number of signers, signers, text; some firmware puts the length before the text

Each text names its purpose, and an envelope is no text: a signature counts for one text, however it is wrapped.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from typing import Final

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.generated.program import PROGRAM_ID
from anchor_idl import base58

SIGNING_DOMAIN: Final = b"\xffsolana offchain"
APPLICATIONS: Final = (bytes(PROGRAM_ID), bytes(32))
"""Application of version 0: this market's program, or none."""
MAX_ENVELOPE: Final = 1_232
"""Most bytes that hardware wallets are sent: those of a packet."""
_ASCII: Final = b"\0"
_UTF8: Final = b"\1"
_SIGNATURE_BYTES: Final = 64
_BEFORE_TEXT: Final = (85, 52, 50, 20)
"""Bytes before the text of one signer's envelope, longest first: a length in version 1 is not part of its text."""


def is_signed(text: bytes, signer: Pubkey, signature: Signature) -> bool:
    """True where a wallet has signed the text, as it is or in an envelope for itself alone."""
    return any(signature.verify(signer, signed) for signed in (text, *_envelopes(text, signer)))


def envelope(text: bytes, signer: Pubkey) -> bytes:
    """The text in version 0, for this market. ValueError for a text that is too long for hardware wallets."""
    made = next(_version_0(text, signer))
    if len(made) > MAX_ENVELOPE:
        raise ValueError(f"the off-chain message has {len(made)} bytes; hardware wallets take {MAX_ENVELOPE}")
    return made


def text_in(signed: bytes, signer: Pubkey) -> bytes:
    """The signed text. ValueError for another wallet's or application's envelope."""
    if not signed.startswith(SIGNING_DOMAIN):
        return signed
    for start in _BEFORE_TEXT:
        text = signed[start:]
        if text and signed in _envelopes(text, signer):
            return text
    raise ValueError(f"the envelope is not one of {signer} alone for this market")


def read_signature(text: str) -> Signature:
    """A signature in base58 or base64, or the one of an off-chain message as Ledger's library prints it: after its
    number and before the message. ValueError.
    """
    for read in (base58.decode, lambda text: b64decode(text, validate=True)):
        try:
            found = read(text.strip())
        except ValueError:
            continue
        if len(found) > 1 + _SIGNATURE_BYTES and found[0] == 1:
            found = found[1 : 1 + _SIGNATURE_BYTES]
        if len(found) == _SIGNATURE_BYTES:
            return Signature.from_bytes(found)
    raise ValueError("neither base58 nor base64 of 64 bytes")


def _envelopes(text: bytes, signer: Pubkey) -> Iterator[bytes]:
    if len(text) > MAX_ENVELOPE:
        return
    yield from _version_0(text, signer)
    yield SIGNING_DOMAIN + b"\0" + _forms(text)[0] + _length(text) + text
    one = SIGNING_DOMAIN + b"\1\1" + bytes(signer)
    yield one + text
    yield one + _length(text) + text


def _version_0(text: bytes, signer: Pubkey) -> Iterator[bytes]:
    for application in APPLICATIONS:
        for form in _forms(text):
            yield SIGNING_DOMAIN + b"\0" + application + form + b"\1" + bytes(signer) + _length(text) + text


def _forms(text: bytes) -> tuple[bytes, ...]:
    """Formats that a text can have, the specification's first: Ledger's library calls lines ASCII as well. Devices take
    either.
    """
    if _is_ascii(text.replace(b"\n", b"")):
        return (_UTF8, _ASCII) if b"\n" in text else (_ASCII, _UTF8)
    return (_UTF8,)


def _is_ascii(text: bytes) -> bool:
    return all(0x20 <= byte <= 0x7E for byte in text)


def _length(text: bytes) -> bytes:
    return len(text).to_bytes(2, "little")
