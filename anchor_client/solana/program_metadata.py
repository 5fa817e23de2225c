"""Accounts and instructions of the Program Metadata program, which keeps what explorers show of a program.

What a program's upgrade authority says of it is in the account derived from the program and a seed of 16 bytes: `idl`
has its interface, `security` whom to tell of a vulnerability.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.sysvar import RENT

from anchor_client.solana.account_metas import readable, writable
from anchor_client.solana.loader import program_data

METADATA_PROGRAM: Final = Pubkey.from_string("ProgM6JCCvbYkfKqJYHePx4xxSUSqJp7rh8Lyv7nk7S")
HEADER_BYTES: Final = 96
MAX_GROWTH: Final = 10_240
"""As many bytes as one instruction may make an account longer."""
JSON: Final = bytes((1, 2, 1))
"""Encoding, compression and format of content here: UTF-8, zlib, JSON."""

_CODECS: Final[Mapping[int, Callable[[bytes], bytes]]] = {0: bytes, 1: gzip.decompress, 2: zlib.decompress}
_DIRECT: Final = 0
_BUFFER_TAG = 1
_METADATA_TAG = 2
_BUFFER: Final = struct.Struct("<B32s32sB16s14x")
_METADATA: Final = struct.Struct("<B32s32sBB16sBBBBI5x")
_WRITE = 0
_INITIALIZE = 1
_SET_AUTHORITY = 2
_SET_DATA = 3
_TRIM = 5
_CLOSE = 6
_ALLOCATE = 7
_EXTEND = 8


@dataclass(frozen=True, slots=True)
class Draft:
    """Content on its way: `authority` may write it."""

    authority: Pubkey | None
    content: bytes

    @classmethod
    def read(cls, account: Account | None) -> Draft | None:
        """The draft in an account; None if there is none."""
        data = _data(account, _BUFFER_TAG)
        if data is None:
            return None
        _, _, authority, _, _ = _BUFFER.unpack_from(data)
        return cls(_named(authority), data[HEADER_BYTES:])


@dataclass(frozen=True, slots=True)
class Metadata:
    """Published metadata. `authority` may change it, as may the upgrade authority; nobody can where it is `final`."""

    authority: Pubkey | None
    final: bool
    compression: int
    source: int
    data: bytes

    @classmethod
    def read(cls, account: Account | None) -> Metadata | None:
        """The metadata in an account; None if there is none."""
        data = _data(account, _METADATA_TAG)
        if data is None:
            return None
        _, _, authority, mutable, _, _, _, compression, _, source, length = _METADATA.unpack_from(data)
        return cls(_named(authority), not mutable, compression, source, data[HEADER_BYTES:][:length])

    @property
    def content(self) -> bytes | None:
        """The content itself; None if it is stored elsewhere or cannot be read."""
        if self.source != _DIRECT:
            return None
        try:
            return _CODECS[self.compression](self.data)
        except (KeyError, OSError, EOFError, zlib.error):
            return None


def compressed(content: bytes) -> bytes:
    """Content as it is kept."""
    return zlib.compress(content, 9)


def metadata_address(program: Pubkey, seed: str) -> Pubkey:
    """Address of the upgrade authority's metadata of a program."""
    return Pubkey.find_program_address([bytes(program), _seed(seed)], METADATA_PROGRAM)[0]


def allocate(program: Pubkey, authority: Pubkey, seed: str) -> Instruction:
    """Makes the funded address of a program's metadata a draft. The upgrade authority signs."""
    accounts = [writable(metadata_address(program, seed)), *_by(authority, program), readable(SYSTEM_PROGRAM)]
    return _instruction(_ALLOCATE, _seed(seed), accounts)


def allocate_apart(draft: Pubkey) -> Instruction:
    """Makes a funded address of its own key a draft; that key signs."""
    accounts = [writable(draft), readable(draft, signs=True), *_NOBODY, readable(SYSTEM_PROGRAM)]
    return _instruction(_ALLOCATE, b"", accounts)


def extend(account: Pubkey, authority: Pubkey, more: int, program: Pubkey | None = None) -> Instruction:
    """Makes a funded draft or metadata longer, by MAX_GROWTH bytes at most; its authority signs.

    With `program`, that is also the program's upgrade authority.
    """
    return _instruction(_EXTEND, struct.pack("<H", more), [writable(account), *_by(authority, program)])


def write(draft: Pubkey, authority: Pubkey, offset: int, part: bytes) -> Instruction:
    """Writes a part of the content at an offset; the draft's authority signs."""
    accounts = [writable(draft), readable(authority, signs=True), readable(METADATA_PROGRAM)]
    return _instruction(_WRITE, struct.pack("<I", offset) + part, accounts)


def initialize(program: Pubkey, authority: Pubkey, seed: str) -> Instruction:
    """Publishes the draft at the address of a program's metadata. The upgrade authority signs."""
    accounts = [writable(metadata_address(program, seed)), *_by(authority, program), readable(METADATA_PROGRAM)]
    return _instruction(_INITIALIZE, _seed(seed) + JSON + bytes((_DIRECT,)), accounts)


def set_data(program: Pubkey, authority: Pubkey, seed: str, draft: Pubkey) -> Instruction:
    """Replaces what is published by a draft's content. The metadata's or the upgrade authority signs."""
    signed, *code = _by(authority, program)
    accounts = [writable(metadata_address(program, seed)), signed, writable(draft), *code]
    return _instruction(_SET_DATA, JSON + bytes((_DIRECT,)), accounts)


def set_authority(account: Pubkey, authority: Pubkey, new: Pubkey | None, program: Pubkey | None = None) -> Instruction:
    """Gives a draft or metadata to another authority; None takes a metadata's away, so the upgrade authority stays."""
    data = b"\0" if new is None else b"\1" + bytes(new)
    return _instruction(_SET_AUTHORITY, data, [writable(account), *_by(authority, program)])


def trim(account: Pubkey, authority: Pubkey, recipient: Pubkey, program: Pubkey) -> Instruction:
    """Gives back the lamports that metadata no longer needs."""
    accounts = [writable(account), *_by(authority, program), writable(recipient), readable(RENT)]
    return _instruction(_TRIM, b"", accounts)


def close(account: Pubkey, authority: Pubkey, recipient: Pubkey, program: Pubkey | None = None) -> Instruction:
    """Removes a draft or metadata and gives its lamports back."""
    return _instruction(_CLOSE, b"", [writable(account), *_by(authority, program), writable(recipient)])


def _instruction(kind: int, data: bytes, accounts: list[AccountMeta]) -> Instruction:
    return Instruction(METADATA_PROGRAM, bytes((kind,)) + data, accounts)


def _by(authority: Pubkey, program: Pubkey | None) -> list[AccountMeta]:
    if program is None:
        code = _NOBODY
    else:
        code = (readable(program), readable(program_data(program)))
    return [readable(authority, signs=True), *code]


def _data(account: Account | None, tag: int) -> bytes | None:
    if account is None or account.owner != METADATA_PROGRAM or len(account.data) < HEADER_BYTES:
        return None
    data = bytes(account.data)
    return data if data[0] == tag else None


def _named(key: bytes) -> Pubkey | None:
    return Pubkey(key) if any(key) else None


def _seed(name: str) -> bytes:
    return name.encode().ljust(16, b"\0")


_NOBODY: Final = (readable(METADATA_PROGRAM), readable(METADATA_PROGRAM))
"""Its own address stands for an account that is left out."""
