"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec, optional_meta
from anchor_idl.runtime.layouts import Fields

from ..accounts.listing import Listing
from ..accounts.rental import Rental
from ..accounts.vault import Vault
from ..pdas import (
    find_associated_token,
    find_event_authority,
    find_market,
    find_rental,
    find_renter_profile,
    find_vault,
)
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="preempt",
    discriminator=bytes.fromhex("a3bf536c57184bed"),
    args=Fields(payout_bump=layouts.U8),
    accounts=(
        "caller",
        "market",
        "rental",
        "listing",
        "renter",
        "renter_profile",
        "vault",
        "vault_token",
        "renter_payout",
        "host_payout",
        "mint",
        "meter",
        "host",
        "challenger",
        "challenger_vault",
        "challenger_vault_token",
        "compensation_payout",
        "token_program",
        "event_authority",
        "program",
    ),
    optional=frozenset(["challenger_vault", "challenger_vault_token", "compensation_payout", "host", "meter", "mint"]),
)


def preempt(
    *,
    payout_bump: int,
    caller: Pubkey,
    market: Pubkey | None = None,
    rental: Pubkey | None = None,
    listing: Pubkey | None = None,
    renter: Pubkey | None = None,
    renter_profile: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    renter_payout: Pubkey,
    host_payout: Pubkey,
    mint: Pubkey | None = None,
    meter: Pubkey | None = None,
    host: Pubkey | None = None,
    challenger: Pubkey | None = None,
    challenger_vault: Pubkey | None = None,
    challenger_vault_token: Pubkey | None = None,
    compensation_payout: Pubkey | None = None,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    rental_data: Rental | None = None,
    listing_data: Listing | None = None,
    vault_data: Vault | None = None,
    challenger_data: Rental | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Ends a challenged rental after its grace and hands the machine to the order that waits. Anyone.

    caller: May be the renter: both only receive lamports. renter_payout: For a refund: the renter's wallet for SOL,
    else their token account, the associated one unless they sign. host_payout: For a payment: the host's wallet for
    SOL, else their token account, the associated one unless they sign. mint: The market token's mint, when there is
    a burn. meter: The rental's, if it has one. host: The listing's, if the rental has drawn on its subsidy budget of
    today and has not earned all of it. challenger: Waits for the machine. challenger_vault: None if it is `vault`.
    challenger_vault_token: None if it is `vault_token`. compensation_payout: For the compensation, as
    `renter_payout` is for the refund; None, and that one is used, if the vault is `vault`.
    """

    if market is None:
        market = find_market(program_id)[0]
    if renter is None and rental_data is not None:
        renter = rental_data.renter
    if renter is None:
        raise MissingAccount("preempt", "renter", "pass renter, or rental_data to derive it from")
    if rental is None and rental_data is not None:
        rental = find_rental(renter, rental_data.nonce, program_id)[0]
    if rental is None:
        raise MissingAccount("preempt", "rental", "pass rental, or rental_data to derive it from")
    if listing is None and rental_data is not None:
        listing = rental_data.listing
    if listing is None:
        raise MissingAccount("preempt", "listing", "pass listing, or rental_data to derive it from")
    if renter_profile is None and rental_data is not None:
        renter_profile = find_renter_profile(rental_data.renter, program_id)[0]
    if renter_profile is None:
        raise MissingAccount("preempt", "renter_profile", "pass renter_profile, or rental_data to derive it from")
    if vault is None and rental_data is not None:
        vault = find_vault(rental_data.mint, rental_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("preempt", "vault", "pass vault, or rental_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None and rental_data is not None:
        vault_token = find_associated_token(vault, token_program, rental_data.mint)[0]
    if vault_token is None:
        raise MissingAccount(
            "preempt", "vault_token", "pass vault_token, or vault_data, or rental_data to derive it from"
        )
    if challenger is None and listing_data is not None:
        challenger = listing_data.challenger
    if challenger is None and challenger_data is not None:
        challenger = find_rental(challenger_data.renter, challenger_data.nonce, program_id)[0]
    if challenger is None:
        raise MissingAccount(
            "preempt", "challenger", "pass challenger, or listing_data, or challenger_data to derive it from"
        )
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"payout_bump": payout_bump}),
        [
            AccountMeta(caller, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(rental, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(renter, is_signer=False, is_writable=True),
            AccountMeta(renter_profile, is_signer=False, is_writable=True),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(renter_payout, is_signer=False, is_writable=True),
            AccountMeta(host_payout, is_signer=False, is_writable=True),
            optional_meta(mint, program_id, is_signer=False, is_writable=True),
            optional_meta(meter, program_id, is_signer=False, is_writable=True),
            optional_meta(host, program_id, is_signer=False, is_writable=True),
            AccountMeta(challenger, is_signer=False, is_writable=True),
            optional_meta(challenger_vault, program_id, is_signer=False, is_writable=True),
            optional_meta(challenger_vault_token, program_id, is_signer=False, is_writable=True),
            optional_meta(compensation_payout, program_id, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
