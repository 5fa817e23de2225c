"""Instructions and accounts of the upgradeable BPF loader (v3)."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from typing import Final

from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.sysvar import CLOCK, RENT

from anchor_client.solana.account_metas import readable, writable

LOADER_V3: Final = Pubkey.from_string("BPFLoaderUpgradeab1e11111111111111111111111")
BUFFER_HEADER: Final = 37
PROGRAM_BYTES: Final = 36
PROGRAM_DATA_HEADER: Final = 45
MIN_EXTENSION: Final = 10_240
"""The fewest bytes that the loader adds to a program at a time."""

_HEADER: Final = struct.Struct("<I")
_BUFFER: Final = struct.Struct("<IB32s")
_PROGRAM_DATA: Final = struct.Struct("<IQB32s")
_BUFFER_TAG = 1
_PROGRAM_TAG = 2
_PROGRAM_DATA_TAG = 3


@dataclass(frozen=True, slots=True)
class Buffer:
    """Code on its way to a program; `authority` may write, deploy and close it."""

    authority: Pubkey | None
    code: bytes

    @classmethod
    def read(cls, account: Account | None) -> Buffer | None:
        """The buffer in an account; None if there is none."""
        if account is None or account.owner != LOADER_V3 or len(account.data) < BUFFER_HEADER:
            return None
        tag, named, key = _BUFFER.unpack_from(account.data)
        if tag != _BUFFER_TAG:
            return None
        return cls(_authority(named, key), bytes(account.data)[BUFFER_HEADER:])

    @property
    def sha256(self) -> bytes:
        """The hash of the code, as a proposal names it."""
        return hashlib.sha256(self.code).digest()


@dataclass(frozen=True, slots=True)
class ProgramData:
    """A program's code as the loader keeps it, zeros behind it included; without an `authority` it is final."""

    slot: int
    authority: Pubkey | None
    code: bytes

    @classmethod
    def read(cls, account: Account | None) -> ProgramData | None:
        """The code in a ProgramData account; None if there is none."""
        if account is None or account.owner != LOADER_V3 or len(account.data) < PROGRAM_DATA_HEADER:
            return None
        tag, slot, named, key = _PROGRAM_DATA.unpack_from(account.data)
        if tag != _PROGRAM_DATA_TAG:
            return None
        return cls(slot, _authority(named, key), bytes(account.data)[PROGRAM_DATA_HEADER:])

    def holds(self, code: bytes) -> bool:
        """True where this is the code, followed by nothing but zeros."""
        return self.code[: len(code)] == code and not any(self.code[len(code) :])


def program_data(program: Pubkey) -> Pubkey:
    """Address of the account that holds a program's code and names its upgrade authority."""
    return Pubkey.find_program_address([bytes(program)], LOADER_V3)[0]


def initialize_buffer(buffer: Pubkey, authority: Pubkey) -> Instruction:
    """Makes an account that the loader owns a buffer of `authority`."""
    return Instruction(LOADER_V3, _HEADER.pack(0), [writable(buffer), readable(authority)])


def write(buffer: Pubkey, authority: Pubkey, offset: int, part: bytes) -> Instruction:
    """Writes a part of the code at an offset; `authority` signs."""
    data = struct.pack("<IIQ", 1, offset, len(part)) + part
    return Instruction(LOADER_V3, data, [writable(buffer), readable(authority, signs=True)])


def deploy(program: Pubkey, buffer: Pubkey, payer: Pubkey, authority: Pubkey, room: int) -> Instruction:
    """Makes an account that the loader owns the program of a buffer's code, with `room` bytes for it."""
    accounts = [
        writable(payer, signs=True),
        *map(writable, (program_data(program), program, buffer)),
        *map(readable, (RENT, CLOCK, SYSTEM_PROGRAM)),
        readable(authority, signs=True),
    ]
    return Instruction(LOADER_V3, struct.pack("<IQ", 2, room), accounts)


def upgrade(program: Pubkey, buffer: Pubkey, spill: Pubkey, authority: Pubkey) -> Instruction:
    """Replaces a program's code by a buffer's, whose lamports go to `spill`."""
    accounts = [
        *map(writable, (program_data(program), program, buffer, spill)),
        *map(readable, (RENT, CLOCK)),
        readable(authority, signs=True),
    ]
    return Instruction(LOADER_V3, _HEADER.pack(3), accounts)


def set_buffer_authority(buffer: Pubkey, authority: Pubkey, new: Pubkey) -> Instruction:
    """Gives a buffer to another authority; `authority` signs."""
    return Instruction(LOADER_V3, _HEADER.pack(4), [writable(buffer), readable(authority, signs=True), readable(new)])


def set_upgrade_authority(program: Pubkey, authority: Pubkey, new: Pubkey) -> Instruction:
    """Gives a program's code to another authority; `authority` signs."""
    return set_buffer_authority(program_data(program), authority, new)


def close_buffer(buffer: Pubkey, recipient: Pubkey, authority: Pubkey) -> Instruction:
    """Gives a buffer's lamports back."""
    accounts = [writable(buffer), writable(recipient), readable(authority, signs=True)]
    return Instruction(LOADER_V3, _HEADER.pack(5), accounts)


def close_program(program: Pubkey, recipient: Pubkey, authority: Pubkey) -> Instruction:
    """Ends a program for ever and gives the lamports of its code back. Its address can never be used again."""
    accounts = [
        writable(program_data(program)),
        writable(recipient),
        readable(authority, signs=True),
        writable(program),
    ]
    return Instruction(LOADER_V3, _HEADER.pack(5), accounts)


def extend(program: Pubkey, payer: Pubkey, more: int) -> Instruction:
    """Makes room for more code, as every cluster does until its loader asks for the authority's signature."""
    accounts = [
        *map(writable, (program_data(program), program)),
        readable(SYSTEM_PROGRAM),
        writable(payer, signs=True),
    ]
    return Instruction(LOADER_V3, struct.pack("<II", 6, more), accounts)


def extend_checked(program: Pubkey, authority: Pubkey, payer: Pubkey, more: int) -> Instruction:
    """The same, signed by the authority too."""
    accounts = [
        *map(writable, (program_data(program), program)),
        readable(authority, signs=True),
        readable(SYSTEM_PROGRAM),
        writable(payer, signs=True),
    ]
    return Instruction(LOADER_V3, struct.pack("<II", 9, more), accounts)


def _authority(named: int, key: bytes) -> Pubkey | None:
    # The key's bytes stay when an authority is given up: the flag before them counts.
    return Pubkey(key) if named else None
