"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_stake
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="close_stake",
    discriminator=bytes.fromhex("5ce54c4c191abdef"),
    args=Fields(),
    accounts=("owner", "stake", "event_authority", "program"),
)


def close_stake(
    *,
    owner: Pubkey,
    stake: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Closes an empty stake account; its rent returns. Owner."""

    if stake is None:
        stake = find_stake(owner, program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(owner, is_signer=True, is_writable=True),
            AccountMeta(stake, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
