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
from ..accounts.vault import Vault
from ..pdas import find_event_authority, find_listing, find_vault
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="claim_payout",
    discriminator=bytes.fromhex("7ff0843ee3c69285"),
    args=Fields(),
    accounts=(
        "caller",
        "listing",
        "vault",
        "vault_token",
        "host_payout",
        "token_program",
        "event_authority",
        "program",
    ),
)


def claim_payout(
    *,
    caller: Pubkey,
    listing: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    host_payout: Pubkey,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    listing_data: Listing | None = None,
    vault_data: Vault | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Pays a host what its listing owes it, into an account of theirs. Anyone.

    caller: May be the host.
    host_payout: The host's wallet for SOL, else their token account, the associated one unless they sign.
    """

    if listing is None and listing_data is not None:
        listing = find_listing(listing_data.host, listing_data.id, program_id)[0]
    if listing is None:
        raise MissingAccount("claim_payout", "listing", "pass listing, or listing_data to derive it from")
    if vault is None and listing_data is not None:
        vault = listing_data.owed_vault
    if vault is None and vault_data is not None:
        vault = find_vault(vault_data.mint, vault_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("claim_payout", "vault", "pass vault, or listing_data, or vault_data to derive it from")
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None:
        raise MissingAccount("claim_payout", "vault_token", "pass vault_token, or vault_data to derive it from")
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
            AccountMeta(caller, is_signer=True, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(host_payout, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
