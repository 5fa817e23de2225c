"""The upgradeable loader's side of governance: buffers with new code, and who may upgrade."""

from __future__ import annotations

import hashlib
import struct
from typing import Final

from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID

LOADER_V3: Final = Pubkey.from_string("BPFLoaderUpgradeab1e11111111111111111111111")
_SET_AUTHORITY: Final = struct.pack("<I", 4)
_BUFFER: Final = struct.Struct("<IB32s")
_BUFFER_TAG: Final = 1


def program_data(program_id: Pubkey = PROGRAM_ID) -> Pubkey:
    """Where the loader keeps the program's code and names its upgrade authority."""
    return Pubkey.find_program_address([bytes(program_id)], LOADER_V3)[0]


def set_upgrade_authority(program: Pubkey, current: Pubkey, new: Pubkey) -> Instruction:
    """Gives a program's code to another authority; `current` signs."""
    return Instruction(
        LOADER_V3,
        _SET_AUTHORITY,
        [
            AccountMeta(program_data(program), is_signer=False, is_writable=True),
            AccountMeta(current, is_signer=True, is_writable=False),
            AccountMeta(new, is_signer=False, is_writable=False),
        ],
    )


def buffer_sha256(buffer: Account) -> bytes | None:
    """The hash of the code in a buffer account, as a proposal names it; None if the account is no buffer."""
    if buffer.owner != LOADER_V3 or len(buffer.data) <= _BUFFER.size:
        return None
    tag, _, _ = _BUFFER.unpack_from(buffer.data)
    return hashlib.sha256(buffer.data[_BUFFER.size :]).digest() if tag == _BUFFER_TAG else None
