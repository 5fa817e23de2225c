"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_renter_profile
from ..program import PROGRAM_ID, SYSTEM_PROGRAM

SPEC: Final = InstructionSpec(
    name="register_renter",
    discriminator=bytes.fromhex("7f2ad354685873bc"),
    args=Fields(first_nonce=layouts.U64),
    accounts=("caller", "wallet", "renter_profile", "system_program", "event_authority", "program"),
)


def register_renter(
    *,
    first_nonce: int,
    caller: Pubkey,
    wallet: Pubkey,
    renter_profile: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Creates a wallet's renter profile. Anyone pays.

    caller: May be the wallet itself, which is only read. wallet: Owner of the profile. Only they make it, often with
    their first order: made in front of that, it would fail.
    """

    if renter_profile is None:
        renter_profile = find_renter_profile(wallet, program_id)[0]
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"first_nonce": first_nonce}),
        [
            AccountMeta(caller, is_signer=True, is_writable=True),
            AccountMeta(wallet, is_signer=True, is_writable=True),
            AccountMeta(renter_profile, is_signer=False, is_writable=True),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
