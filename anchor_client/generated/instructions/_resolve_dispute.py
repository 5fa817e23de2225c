"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.meter import Meter
from ..pdas import find_event_authority, find_meter
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="resolve_dispute",
    discriminator=bytes.fromhex("e706ca0660670ce6"),
    args=Fields(),
    accounts=("meter", "event_authority", "program"),
)


def resolve_dispute(
    *,
    meter: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    meter_data: Meter | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Drops usage that the renter disputed and did not accept in time. Anyone."""

    if meter is None and meter_data is not None:
        meter = find_meter(meter_data.rental, program_id)[0]
    if meter is None:
        raise MissingAccount("resolve_dispute", "meter", "pass meter, or meter_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(meter, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
