"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_host, find_market
from ..program import PROGRAM_ID, SYSTEM_PROGRAM

SPEC: Final = InstructionSpec(
    name="register_host",
    discriminator=bytes.fromhex("fe933d3afd6f5ec8"),
    args=Fields(seal_key=layouts.byte_array(32)),
    accounts=("authority", "market", "host", "system_program", "event_authority", "program"),
)


def register_host(
    *,
    seal_key: bytes,
    authority: Pubkey,
    market: Pubkey | None = None,
    host: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Registers the signer as a host with the X25519 key that orders are sealed to."""

    if market is None:
        market = find_market(program_id)[0]
    if host is None:
        host = find_host(authority, program_id)[0]
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"seal_key": seal_key}),
        [
            AccountMeta(authority, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
