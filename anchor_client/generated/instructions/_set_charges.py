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

from ..accounts.listing import Listing
from ..pdas import find_event_authority, find_listing
from ..program import PROGRAM_ID
from ..types.charges import Charges

SPEC: Final = InstructionSpec(
    name="set_charges",
    discriminator=bytes.fromhex("c1e5bdce6dc0a195"),
    args=Fields(charges=layouts.struct(Charges)),
    accounts=("authority", "listing", "event_authority", "program"),
)


def set_charges(
    *,
    charges: Charges,
    authority: Pubkey,
    listing: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    listing_data: Listing | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Sets what the listing charges beyond its price, for new meters. Host."""

    if listing is None and listing_data is not None:
        listing = find_listing(listing_data.host, listing_data.id, program_id)[0]
    if listing is None:
        raise MissingAccount("set_charges", "listing", "pass listing, or listing_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"charges": charges}),
        [
            AccountMeta(authority, is_signer=True, is_writable=False),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
