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
from ..pdas import find_event_authority, find_listing, find_market
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="take_over",
    discriminator=bytes.fromhex("df96b266f1833b7d"),
    args=Fields(),
    accounts=("market", "rental", "listing", "event_authority", "program"),
)


def take_over(
    *,
    market: Pubkey | None = None,
    rental: Pubkey | None = None,
    listing: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    listing_data: Listing | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Gives a machine that fell idle to the order that waits for it. Anyone."""

    if market is None:
        market = find_market(program_id)[0]
    if rental is None and listing_data is not None:
        rental = listing_data.challenger
    if rental is None:
        raise MissingAccount("take_over", "rental", "pass rental, or listing_data to derive it from")
    if listing is None and listing_data is not None:
        listing = find_listing(listing_data.host, listing_data.id, program_id)[0]
    if listing is None:
        raise MissingAccount("take_over", "listing", "pass listing, or listing_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(rental, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
