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
    find_stake,
    find_vault,
)
from ..program import PROGRAM_ID, SYSTEM_PROGRAM, TOKEN_PROGRAM
from ..types.order import Order

SPEC: Final = InstructionSpec(
    name="open_rental",
    discriminator=bytes.fromhex("b4dcec681929fe8e"),
    args=Fields(nonce=layouts.U64, order=layouts.struct(Order)),
    accounts=(
        "renter",
        "market",
        "payment_mint",
        "vault",
        "vault_token",
        "listing",
        "host",
        "renter_profile",
        "rental",
        "renter_token",
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


def open_rental(
    *,
    nonce: int,
    order: Order,
    renter: Pubkey,
    market: Pubkey | None = None,
    payment_mint: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    listing: Pubkey | None = None,
    host: Pubkey | None = None,
    renter_profile: Pubkey | None = None,
    rental: Pubkey | None = None,
    renter_token: Pubkey | None = None,
    renter_stake: Pubkey | None = None,
    host_stake: Pubkey | None = None,
    price_feed: Pubkey | None = None,
    token_program: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    payment_mint_data: PaymentMint | None = None,
    vault_data: Vault | None = None,
    listing_data: Listing | None = None,
    host_data: Host | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Rents a free listing: escrows the whole cost. Renter.

    rental: Created here, at the address of the renter and the nonce.
    renter_stake: Stake of the renter: lower fees, more rentals at a time, priority.
    host_stake: Stake of the host: lower fees.
    price_feed: The price update that a mint priced by Pyth needs.
    """

    if market is None:
        market = find_market(program_id)[0]
    if payment_mint is None and payment_mint_data is not None:
        payment_mint = find_payment_mint(payment_mint_data.mint, program_id)[0]
    if payment_mint is None:
        raise MissingAccount("open_rental", "payment_mint", "pass payment_mint, or payment_mint_data to derive it from")
    if vault is None and vault_data is not None:
        vault = find_vault(vault_data.mint, vault_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("open_rental", "vault", "pass vault, or vault_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None and payment_mint_data is not None:
        vault_token = find_associated_token(vault, token_program, payment_mint_data.mint)[0]
    if vault_token is None:
        raise MissingAccount(
            "open_rental", "vault_token", "pass vault_token, or vault_data, or payment_mint_data to derive it from"
        )
    if host is None and listing_data is not None:
        host = listing_data.host
    if host is None and host_data is not None:
        host = find_host(host_data.authority, program_id)[0]
    if host is None:
        raise MissingAccount("open_rental", "host", "pass host, or listing_data, or host_data to derive it from")
    if listing is None and listing_data is not None:
        listing = find_listing(host, listing_data.id, program_id)[0]
    if listing is None:
        raise MissingAccount("open_rental", "listing", "pass listing, or listing_data to derive it from")
    if renter_profile is None:
        renter_profile = find_renter_profile(renter, program_id)[0]
    if rental is None:
        rental = find_rental(renter, nonce, program_id)[0]
    if renter_token is None and payment_mint_data is not None:
        renter_token = find_associated_token(renter, token_program, payment_mint_data.mint)[0]
    if renter_token is None:
        raise MissingAccount("open_rental", "renter_token", "pass renter_token, or payment_mint_data to derive it from")
    if renter_stake is None:
        renter_stake = find_stake(renter, program_id)[0]
    if host_stake is None and listing_data is not None:
        host_stake = find_stake(listing_data.authority, program_id)[0]
    if host_stake is None:
        raise MissingAccount("open_rental", "host_stake", "pass host_stake, or listing_data to derive it from")
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"nonce": nonce, "order": order}),
        [
            AccountMeta(renter, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(payment_mint, is_signer=False, is_writable=False),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(renter_profile, is_signer=False, is_writable=True),
            AccountMeta(rental, is_signer=False, is_writable=True),
            AccountMeta(renter_token, is_signer=False, is_writable=True),
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
