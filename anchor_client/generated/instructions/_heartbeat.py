"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_host
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="heartbeat",
    discriminator=bytes.fromhex("ca683806f0aa3f86"),
    args=Fields(),
    accounts=("authority", "host", "event_authority", "program"),
)


def heartbeat(
    *,
    authority: Pubkey,
    host: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Shows that the listings in the remaining accounts are up. Host."""

    if host is None:
        host = find_host(authority, program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(authority, is_signer=True, is_writable=False),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
