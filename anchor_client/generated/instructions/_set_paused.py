"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_market
from ..program import PROGRAM_ID
from ..types.pause_area import PauseArea

SPEC: Final = InstructionSpec(
    name="set_paused",
    discriminator=bytes.fromhex("5b3c7dc0b0e1a6da"),
    args=Fields(area=layouts.unit_enum(PauseArea), paused=layouts.BOOL),
    accounts=("caller", "market", "event_authority", "program"),
)


def set_paused(
    *,
    area: PauseArea,
    paused: bool,
    caller: Pubkey,
    market: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Pauses or resumes an area. Authority both ways; guardian may only pause, for a while."""

    if market is None:
        market = find_market(program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"area": area, "paused": paused}),
        [
            AccountMeta(caller, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
