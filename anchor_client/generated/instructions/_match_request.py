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

from ..accounts.host import Host
from ..accounts.listing import Listing
from ..accounts.request import Request
from ..accounts.vault import Vault
from ..pdas import (
    find_associated_token,
    find_event_authority,
    find_host,
    find_listing,
    find_market,
    find_payment_mint,
    find_rental,
    find_renter_profile,
    find_request,
    find_stake,
    find_vault,
)
from ..program import PROGRAM_ID, SYSTEM_PROGRAM, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="match_request",
    discriminator=bytes.fromhex("7e3e41ec9b289507"),
    args=Fields(spec_version=layouts.U32, payout_bump=layouts.U8),
    accounts=(
        "caller",
        "market",
        "request",
        "renter",
        "renter_profile",
        "payment_mint",
        "vault",
        "vault_token",
        "listing",
        "host",
        "rental",
        "renter_payout",
        "renter_stake",
        "host_stake",
        "price_feed",
        "token_program",
        "system_program",
        "event_authority",
        "program",
    ),
    optional=frozenset(["price_feed"]),
)


def match_request(
    *,
    spec_version: int,
    payout_bump: int,
    caller: Pubkey,
    market: Pubkey | None = None,
    request: Pubkey | None = None,
    renter: Pubkey | None = None,
    renter_profile: Pubkey | None = None,
    payment_mint: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    listing: Pubkey | None = None,
    host: Pubkey | None = None,
    rental: Pubkey | None = None,
    renter_payout: Pubkey,
    renter_stake: Pubkey | None = None,
    host_stake: Pubkey | None = None,
    price_feed: Pubkey | None = None,
    token_program: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    request_data: Request | None = None,
    vault_data: Vault | None = None,
    listing_data: Listing | None = None,
    host_data: Host | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Rents an idle listing that fits a request, at the listing's price; the difference returns. Anyone.

    caller: Pays the rental's rent until the request closes. May be the renter. rental: Created here: the program
    signs for the address that belongs to the request, and for no other. renter_payout: For a refund: the renter's
    wallet for SOL, else their token account, the associated one unless they sign. renter_stake: Stake of the renter:
    lower fees, more rentals at a time, priority. host_stake: Stake of the host: lower fees. price_feed: The price
    update that a mint priced by Pyth needs.
    """

    if market is None:
        market = find_market(program_id)[0]
    if renter is None and request_data is not None:
        renter = request_data.renter
    if renter is None:
        raise MissingAccount("match_request", "renter", "pass renter, or request_data to derive it from")
    if request is None and request_data is not None:
        request = find_request(renter, request_data.nonce, program_id)[0]
    if request is None:
        raise MissingAccount("match_request", "request", "pass request, or request_data to derive it from")
    if renter_profile is None and request_data is not None:
        renter_profile = find_renter_profile(request_data.renter, program_id)[0]
    if renter_profile is None:
        raise MissingAccount(
            "match_request", "renter_profile", "pass renter_profile, or request_data to derive it from"
        )
    if payment_mint is None and request_data is not None:
        payment_mint = find_payment_mint(request_data.mint, program_id)[0]
    if payment_mint is None:
        raise MissingAccount("match_request", "payment_mint", "pass payment_mint, or request_data to derive it from")
    if vault is None and request_data is not None:
        vault = find_vault(request_data.mint, request_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("match_request", "vault", "pass vault, or request_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None and request_data is not None:
        vault_token = find_associated_token(vault, token_program, request_data.mint)[0]
    if vault_token is None:
        raise MissingAccount(
            "match_request", "vault_token", "pass vault_token, or vault_data, or request_data to derive it from"
        )
    if host is None and listing_data is not None:
        host = listing_data.host
    if host is None and host_data is not None:
        host = find_host(host_data.authority, program_id)[0]
    if host is None:
        raise MissingAccount("match_request", "host", "pass host, or listing_data, or host_data to derive it from")
    if listing is None and listing_data is not None:
        listing = find_listing(host, listing_data.id, program_id)[0]
    if listing is None:
        raise MissingAccount("match_request", "listing", "pass listing, or listing_data to derive it from")
    if rental is None and request_data is not None:
        rental = find_rental(request_data.renter, request_data.nonce, program_id)[0]
    if rental is None:
        raise MissingAccount("match_request", "rental", "pass rental, or request_data to derive it from")
    if renter_stake is None:
        renter_stake = find_stake(renter, program_id)[0]
    if host_stake is None and listing_data is not None:
        host_stake = find_stake(listing_data.authority, program_id)[0]
    if host_stake is None:
        raise MissingAccount("match_request", "host_stake", "pass host_stake, or listing_data to derive it from")
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"spec_version": spec_version, "payout_bump": payout_bump}),
        [
            AccountMeta(caller, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(request, is_signer=False, is_writable=True),
            AccountMeta(renter, is_signer=False, is_writable=True),
            AccountMeta(renter_profile, is_signer=False, is_writable=True),
            AccountMeta(payment_mint, is_signer=False, is_writable=False),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(rental, is_signer=False, is_writable=True),
            AccountMeta(renter_payout, is_signer=False, is_writable=True),
            AccountMeta(renter_stake, is_signer=False, is_writable=False),
            AccountMeta(host_stake, is_signer=False, is_writable=False),
            optional_meta(price_feed, program_id, is_signer=False, is_writable=False),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
