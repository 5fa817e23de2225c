"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.listing import Listing
from ..pdas import find_event_authority, find_host, find_listing
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="close_listing",
    discriminator=bytes.fromhex("210fc0514eaf9f61"),
    args=Fields(),
    accounts=("authority", "host", "listing", "event_authority", "program"),
)


def close_listing(
    *,
    authority: Pubkey,
    host: Pubkey | None = None,
    listing: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    listing_data: Listing | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Takes an idle listing off the market; its rent returns. Host."""

    if host is None:
        host = find_host(authority, program_id)[0]
    if listing is None and listing_data is not None:
        listing = find_listing(host, listing_data.id, program_id)[0]
    if listing is None:
        raise MissingAccount("close_listing", "listing", "pass listing, or listing_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(authority, is_signer=True, is_writable=True),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
