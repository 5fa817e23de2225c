"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.rental import Rental
from ..accounts.vault import Vault
from ..pdas import find_associated_token, find_event_authority, find_market, find_rental, find_vault
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="release_holdback",
    discriminator=bytes.fromhex("caac6ac513dea1d7"),
    args=Fields(),
    accounts=(
        "caller",
        "market",
        "rental",
        "listing",
        "renter",
        "vault",
        "vault_token",
        "host_payout",
        "token_program",
        "event_authority",
        "program",
    ),
)


def release_holdback(
    *,
    caller: Pubkey,
    market: Pubkey | None = None,
    rental: Pubkey | None = None,
    listing: Pubkey | None = None,
    renter: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    host_payout: Pubkey,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    rental_data: Rental | None = None,
    vault_data: Vault | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Pays the host what a finished rental has held back. Anyone, once it can no longer be contested.

    caller: May be the renter, or the host's wallet.
    host_payout: The host's wallet for SOL, else their token account, the associated one unless they sign.
    """

    if market is None:
        market = find_market(program_id)[0]
    if renter is None and rental_data is not None:
        renter = rental_data.renter
    if renter is None:
        raise MissingAccount("release_holdback", "renter", "pass renter, or rental_data to derive it from")
    if rental is None and rental_data is not None:
        rental = find_rental(renter, rental_data.nonce, program_id)[0]
    if rental is None:
        raise MissingAccount("release_holdback", "rental", "pass rental, or rental_data to derive it from")
    if listing is None and rental_data is not None:
        listing = rental_data.listing
    if listing is None:
        raise MissingAccount("release_holdback", "listing", "pass listing, or rental_data to derive it from")
    if vault is None and rental_data is not None:
        vault = find_vault(rental_data.mint, rental_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("release_holdback", "vault", "pass vault, or rental_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None and rental_data is not None:
        vault_token = find_associated_token(vault, token_program, rental_data.mint)[0]
    if vault_token is None:
        raise MissingAccount(
            "release_holdback", "vault_token", "pass vault_token, or vault_data, or rental_data to derive it from"
        )
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(caller, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(rental, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(renter, is_signer=False, is_writable=True),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(host_payout, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
