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
    name="accept_usage",
    discriminator=bytes.fromhex("32f46efe6260f553"),
    args=Fields(),
    accounts=("renter", "meter", "event_authority", "program"),
)


def accept_usage(
    *,
    renter: Pubkey | None = None,
    meter: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    meter_data: Meter | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Agrees to all that has been reported, disputed or not. Renter."""

    if renter is None and meter_data is not None:
        renter = meter_data.renter
    if renter is None:
        raise MissingAccount("accept_usage", "renter", "pass renter, or meter_data to derive it from")
    if meter is None and meter_data is not None:
        meter = find_meter(meter_data.rental, program_id)[0]
    if meter is None:
        raise MissingAccount("accept_usage", "meter", "pass meter, or meter_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(renter, is_signer=True, is_writable=False),
            AccountMeta(meter, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
