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

from ..accounts.payment_mint import PaymentMint
from ..accounts.vault import Vault
from ..pdas import (
    find_associated_token,
    find_event_authority,
    find_market,
    find_payment_mint,
    find_renter_profile,
    find_request,
    find_vault,
)
from ..program import PROGRAM_ID, SYSTEM_PROGRAM, TOKEN_PROGRAM
from ..types.request_order import RequestOrder

SPEC: Final = InstructionSpec(
    name="open_request",
    discriminator=bytes.fromhex("52d1c120e550e4c5"),
    args=Fields(nonce=layouts.U64, order=layouts.struct(RequestOrder)),
    accounts=(
        "renter",
        "market",
        "payment_mint",
        "vault",
        "vault_token",
        "renter_profile",
        "request",
        "renter_token",
        "price_feed",
        "token_program",
        "system_program",
        "event_authority",
        "program",
    ),
    optional=frozenset(["price_feed"]),
)


def open_request(
    *,
    nonce: int,
    order: RequestOrder,
    renter: Pubkey,
    market: Pubkey | None = None,
    payment_mint: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    renter_profile: Pubkey | None = None,
    request: Pubkey | None = None,
    renter_token: Pubkey | None = None,
    price_feed: Pubkey | None = None,
    token_program: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    payment_mint_data: PaymentMint | None = None,
    vault_data: Vault | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Escrows an order for whichever machine fits it. Renter.

    request: Created here.
    price_feed: The price update that a mint priced by Pyth needs.
    """

    if market is None:
        market = find_market(program_id)[0]
    if payment_mint is None and payment_mint_data is not None:
        payment_mint = find_payment_mint(payment_mint_data.mint, program_id)[0]
    if payment_mint is None:
        raise MissingAccount(
            "open_request", "payment_mint", "pass payment_mint, or payment_mint_data to derive it from"
        )
    if vault is None and vault_data is not None:
        vault = find_vault(vault_data.mint, vault_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("open_request", "vault", "pass vault, or vault_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None and payment_mint_data is not None:
        vault_token = find_associated_token(vault, token_program, payment_mint_data.mint)[0]
    if vault_token is None:
        raise MissingAccount(
            "open_request", "vault_token", "pass vault_token, or vault_data, or payment_mint_data to derive it from"
        )
    if renter_profile is None:
        renter_profile = find_renter_profile(renter, program_id)[0]
    if request is None:
        request = find_request(renter, nonce, program_id)[0]
    if renter_token is None and payment_mint_data is not None:
        renter_token = find_associated_token(renter, token_program, payment_mint_data.mint)[0]
    if renter_token is None:
        raise MissingAccount(
            "open_request", "renter_token", "pass renter_token, or payment_mint_data to derive it from"
        )
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
            AccountMeta(renter_profile, is_signer=False, is_writable=True),
            AccountMeta(request, is_signer=False, is_writable=True),
            AccountMeta(renter_token, is_signer=False, is_writable=True),
            optional_meta(price_feed, program_id, is_signer=False, is_writable=False),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
