"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.vault import Vault
from ..pdas import find_associated_token, find_event_authority, find_market, find_vault
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="withdraw_unreserved",
    discriminator=bytes.fromhex("202c7ff5ef034893"),
    args=Fields(amount=layouts.U64),
    accounts=(
        "authority",
        "market",
        "vault",
        "vault_token",
        "authority_token",
        "token_program",
        "event_authority",
        "program",
    ),
)


def withdraw_unreserved(
    *,
    amount: int,
    authority: Pubkey,
    market: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    authority_token: Pubkey | None = None,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    vault_data: Vault | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Takes what nobody is owed out of a vault: unreserved subsidy, and what was sent there directly. Authority.

    authority_token: The authority's associated token account: any executor of a vote borrows the governance's
    signature.
    """

    if market is None:
        market = find_market(program_id)[0]
    if vault is None and vault_data is not None:
        vault = find_vault(vault_data.mint, vault_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("withdraw_unreserved", "vault", "pass vault, or vault_data to derive it from")
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None:
        raise MissingAccount("withdraw_unreserved", "vault_token", "pass vault_token, or vault_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if authority_token is None and vault_data is not None:
        authority_token = find_associated_token(authority, token_program, vault_data.mint)[0]
    if authority_token is None:
        raise MissingAccount(
            "withdraw_unreserved", "authority_token", "pass authority_token, or vault_data to derive it from"
        )
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"amount": amount}),
        [
            AccountMeta(authority, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(authority_token, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
