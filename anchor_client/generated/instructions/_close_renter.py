"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_renter_profile
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="close_renter",
    discriminator=bytes.fromhex("906da6d73df78b0f"),
    args=Fields(),
    accounts=("wallet", "renter_profile", "event_authority", "program"),
)


def close_renter(
    *,
    wallet: Pubkey,
    renter_profile: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Closes a renter's profile; its rent goes to the wallet. Renter, without rentals."""

    if renter_profile is None:
        renter_profile = find_renter_profile(wallet, program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(wallet, is_signer=True, is_writable=True),
            AccountMeta(renter_profile, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
