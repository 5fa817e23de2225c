"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec, optional_meta
from anchor_idl.runtime.layouts import Fields

from ..accounts.listing import Listing
from ..pdas import find_event_authority, find_listing, find_market
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="take_over",
    discriminator=bytes.fromhex("df96b266f1833b7d"),
    args=Fields(),
    accounts=(
        "market",
        "rental",
        "listing",
        "challenger_vault",
        "challenger_vault_token",
        "compensation_payout",
        "token_program",
        "event_authority",
        "program",
    ),
    optional=frozenset(["challenger_vault", "challenger_vault_token", "compensation_payout"]),
)


def take_over(
    *,
    market: Pubkey | None = None,
    rental: Pubkey | None = None,
    listing: Pubkey | None = None,
    challenger_vault: Pubkey | None = None,
    challenger_vault_token: Pubkey | None = None,
    compensation_payout: Pubkey | None = None,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    listing_data: Listing | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Gives a machine that fell idle to the order that waits for it. Anyone.

    challenger_vault: The order's; with the next two needed only if the host has ended the rental that it waited for.
    compensation_payout: For the compensation: the wallet of that rental's renter for SOL, else their associated
    token account.
    """

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
    if token_program is None:
        token_program = TOKEN_PROGRAM
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
            optional_meta(challenger_vault, program_id, is_signer=False, is_writable=True),
            optional_meta(challenger_vault_token, program_id, is_signer=False, is_writable=True),
            optional_meta(compensation_payout, program_id, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
