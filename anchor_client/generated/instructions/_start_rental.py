"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.rental import Rental
from ..pdas import find_event_authority, find_rental
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="start_rental",
    discriminator=bytes.fromhex("124de93c9a640e98"),
    args=Fields(),
    accounts=("operator", "rental", "listing", "event_authority", "program"),
)


def start_rental(
    *,
    operator: Pubkey,
    rental: Pubkey | None = None,
    listing: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    rental_data: Rental | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Starts the meter, and pays the matcher of a request, who is the one remaining account. Operator."""

    if rental is None and rental_data is not None:
        rental = find_rental(rental_data.renter, rental_data.nonce, program_id)[0]
    if rental is None:
        raise MissingAccount("start_rental", "rental", "pass rental, or rental_data to derive it from")
    if listing is None and rental_data is not None:
        listing = rental_data.listing
    if listing is None:
        raise MissingAccount("start_rental", "listing", "pass listing, or rental_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(operator, is_signer=True, is_writable=False),
            AccountMeta(rental, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
