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

from ..accounts.rental import Rental
from ..pdas import find_event_authority, find_rental
from ..program import PROGRAM_ID
from ..types.rental_issue import RentalIssue

SPEC: Final = InstructionSpec(
    name="report_issue",
    discriminator=bytes.fromhex("3ae9ad0c679853e7"),
    args=Fields(issue=layouts.unit_enum(RentalIssue)),
    accounts=("renter", "rental", "event_authority", "program"),
)


def report_issue(
    *,
    issue: RentalIssue,
    renter: Pubkey | None = None,
    rental: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    rental_data: Rental | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Says what is wrong with a rented machine. Renter."""

    if renter is None and rental_data is not None:
        renter = rental_data.renter
    if renter is None:
        raise MissingAccount("report_issue", "renter", "pass renter, or rental_data to derive it from")
    if rental is None and rental_data is not None:
        rental = find_rental(renter, rental_data.nonce, program_id)[0]
    if rental is None:
        raise MissingAccount("report_issue", "rental", "pass rental, or rental_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"issue": issue}),
        [
            AccountMeta(renter, is_signer=True, is_writable=False),
            AccountMeta(rental, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
