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

from ..accounts.rental import Rental
from ..accounts.vault import Vault
from ..pdas import (
    find_associated_token,
    find_event_authority,
    find_market,
    find_meter,
    find_payment_mint,
    find_rental,
    find_vault,
)
from ..program import PROGRAM_ID, SYSTEM_PROGRAM, TOKEN_PROGRAM
from ..types.charges import Charges

SPEC: Final = InstructionSpec(
    name="open_meter",
    discriminator=b"7G7~&&<z",
    args=Fields(cap=layouts.U64, storage_gb=layouts.U32, agreed=layouts.struct(Charges)),
    accounts=(
        "renter",
        "market",
        "rental",
        "listing",
        "payment_mint",
        "vault",
        "vault_token",
        "renter_token",
        "meter",
        "price_feed",
        "token_program",
        "system_program",
        "event_authority",
        "program",
    ),
    optional=frozenset(["price_feed"]),
)


def open_meter(
    *,
    cap: int,
    storage_gb: int,
    agreed: Charges,
    renter: Pubkey | None = None,
    market: Pubkey | None = None,
    rental: Pubkey | None = None,
    listing: Pubkey | None = None,
    payment_mint: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    renter_token: Pubkey | None = None,
    meter: Pubkey | None = None,
    price_feed: Pubkey | None = None,
    token_program: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    rental_data: Rental | None = None,
    vault_data: Vault | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Escrows the most that the rental's charges may take and fixes their prices. Renter.

    price_feed: The price update that a mint priced by Pyth needs.
    """

    if renter is None and rental_data is not None:
        renter = rental_data.renter
    if renter is None:
        raise MissingAccount("open_meter", "renter", "pass renter, or rental_data to derive it from")
    if market is None:
        market = find_market(program_id)[0]
    if rental is None and rental_data is not None:
        rental = find_rental(renter, rental_data.nonce, program_id)[0]
    if rental is None:
        raise MissingAccount("open_meter", "rental", "pass rental, or rental_data to derive it from")
    if listing is None and rental_data is not None:
        listing = rental_data.listing
    if listing is None:
        raise MissingAccount("open_meter", "listing", "pass listing, or rental_data to derive it from")
    if payment_mint is None and rental_data is not None:
        payment_mint = find_payment_mint(rental_data.mint, program_id)[0]
    if payment_mint is None:
        raise MissingAccount("open_meter", "payment_mint", "pass payment_mint, or rental_data to derive it from")
    if vault is None and rental_data is not None:
        vault = find_vault(rental_data.mint, rental_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("open_meter", "vault", "pass vault, or rental_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None and rental_data is not None:
        vault_token = find_associated_token(vault, token_program, rental_data.mint)[0]
    if vault_token is None:
        raise MissingAccount(
            "open_meter", "vault_token", "pass vault_token, or vault_data, or rental_data to derive it from"
        )
    if renter_token is None and rental_data is not None:
        renter_token = find_associated_token(renter, token_program, rental_data.mint)[0]
    if renter_token is None:
        raise MissingAccount("open_meter", "renter_token", "pass renter_token, or rental_data to derive it from")
    if meter is None:
        meter = find_meter(rental, program_id)[0]
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"cap": cap, "storage_gb": storage_gb, "agreed": agreed}),
        [
            AccountMeta(renter, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(rental, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=False),
            AccountMeta(payment_mint, is_signer=False, is_writable=False),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(renter_token, is_signer=False, is_writable=True),
            AccountMeta(meter, is_signer=False, is_writable=True),
            optional_meta(price_feed, program_id, is_signer=False, is_writable=False),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
