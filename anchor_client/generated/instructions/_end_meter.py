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
    name="end_meter",
    discriminator=bytes.fromhex("a106b2257d791734"),
    args=Fields(),
    accounts=("meter", "rental", "event_authority", "program"),
)


def end_meter(
    *,
    meter: Pubkey | None = None,
    rental: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    meter_data: Meter | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Notes that the meter's rental has ended. Anyone."""

    if rental is None and meter_data is not None:
        rental = meter_data.rental
    if rental is None:
        raise MissingAccount("end_meter", "rental", "pass rental, or meter_data to derive it from")
    if meter is None:
        meter = find_meter(rental, program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(meter, is_signer=False, is_writable=True),
            AccountMeta(rental, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
