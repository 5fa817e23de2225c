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
from ..accounts.payment_mint import PaymentMint
from ..accounts.rental import Rental
from ..accounts.vault import Vault
from ..pdas import (
    find_associated_token,
    find_event_authority,
    find_host,
    find_market,
    find_payment_mint,
    find_rental,
    find_vault,
)
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="extend_rental",
    discriminator=bytes.fromhex("f7e8618cb80eb8e0"),
    args=Fields(old_duration=layouts.U32, seconds=layouts.U32, max_deposit=layouts.U64),
    accounts=(
        "renter",
        "market",
        "rental",
        "payment_mint",
        "listing",
        "host",
        "vault",
        "vault_token",
        "renter_token",
        "price_feed",
        "token_program",
        "event_authority",
        "program",
    ),
    optional=frozenset(["price_feed"]),
)


def extend_rental(
    *,
    old_duration: int,
    seconds: int,
    max_deposit: int,
    renter: Pubkey | None = None,
    market: Pubkey | None = None,
    rental: Pubkey | None = None,
    payment_mint: Pubkey | None = None,
    listing: Pubkey | None = None,
    host: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    renter_token: Pubkey | None = None,
    price_feed: Pubkey | None = None,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    rental_data: Rental | None = None,
    payment_mint_data: PaymentMint | None = None,
    listing_data: Listing | None = None,
    host_data: Host | None = None,
    vault_data: Vault | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Buys more time at the rental's own rates. Renter.

    price_feed: The price update that a mint priced by Pyth needs.
    """

    if renter is None and rental_data is not None:
        renter = rental_data.renter
    if renter is None:
        raise MissingAccount("extend_rental", "renter", "pass renter, or rental_data to derive it from")
    if market is None:
        market = find_market(program_id)[0]
    if rental is None and rental_data is not None:
        rental = find_rental(renter, rental_data.nonce, program_id)[0]
    if rental is None:
        raise MissingAccount("extend_rental", "rental", "pass rental, or rental_data to derive it from")
    if payment_mint is None and payment_mint_data is not None:
        payment_mint = find_payment_mint(payment_mint_data.mint, program_id)[0]
    if payment_mint is None:
        raise MissingAccount(
            "extend_rental", "payment_mint", "pass payment_mint, or payment_mint_data to derive it from"
        )
    if listing is None and rental_data is not None:
        listing = rental_data.listing
    if listing is None:
        raise MissingAccount("extend_rental", "listing", "pass listing, or rental_data to derive it from")
    if host is None and listing_data is not None:
        host = listing_data.host
    if host is None and host_data is not None:
        host = find_host(host_data.authority, program_id)[0]
    if host is None:
        raise MissingAccount("extend_rental", "host", "pass host, or listing_data, or host_data to derive it from")
    if vault is None and rental_data is not None:
        vault = find_vault(rental_data.mint, rental_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("extend_rental", "vault", "pass vault, or rental_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None and rental_data is not None:
        vault_token = find_associated_token(vault, token_program, rental_data.mint)[0]
    if vault_token is None:
        raise MissingAccount(
            "extend_rental", "vault_token", "pass vault_token, or vault_data, or rental_data to derive it from"
        )
    if renter_token is None and rental_data is not None:
        renter_token = find_associated_token(renter, token_program, rental_data.mint)[0]
    if renter_token is None:
        raise MissingAccount("extend_rental", "renter_token", "pass renter_token, or rental_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"old_duration": old_duration, "seconds": seconds, "max_deposit": max_deposit}),
        [
            AccountMeta(renter, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(rental, is_signer=False, is_writable=True),
            AccountMeta(payment_mint, is_signer=False, is_writable=False),
            AccountMeta(listing, is_signer=False, is_writable=False),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(renter_token, is_signer=False, is_writable=True),
            optional_meta(price_feed, program_id, is_signer=False, is_writable=False),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
