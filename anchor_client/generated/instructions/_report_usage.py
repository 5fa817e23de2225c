"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.meter import Meter
from ..pdas import find_event_authority, find_meter
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="report_usage",
    discriminator=bytes.fromhex("4152de6107438452"),
    args=Fields(bandwidth_mb=layouts.U64, storage_gb_hours=layouts.U64),
    accounts=("operator", "meter", "rental", "listing", "event_authority", "program"),
)


def report_usage(
    *,
    bandwidth_mb: int,
    storage_gb_hours: int,
    operator: Pubkey,
    meter: Pubkey | None = None,
    rental: Pubkey | None = None,
    listing: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    meter_data: Meter | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Reports the rental's traffic and storage since the meter opened. Operator.

    rental: Until it ends, it says whether it has started and until when storage is charged. It may be gone
    afterwards. listing: Says who its operator is, and when the machine was last heard from; once it is closed, the
    host's wallet reports.
    """

    if rental is None and meter_data is not None:
        rental = meter_data.rental
    if rental is None:
        raise MissingAccount("report_usage", "rental", "pass rental, or meter_data to derive it from")
    if meter is None:
        meter = find_meter(rental, program_id)[0]
    if listing is None and meter_data is not None:
        listing = meter_data.listing
    if listing is None:
        raise MissingAccount("report_usage", "listing", "pass listing, or meter_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"bandwidth_mb": bandwidth_mb, "storage_gb_hours": storage_gb_hours}),
        [
            AccountMeta(operator, is_signer=True, is_writable=False),
            AccountMeta(meter, is_signer=False, is_writable=True),
            AccountMeta(rental, is_signer=False, is_writable=False),
            AccountMeta(listing, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
