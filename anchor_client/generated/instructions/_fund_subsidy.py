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
from ..pdas import find_event_authority, find_market, find_vault
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="fund_subsidy",
    discriminator=bytes.fromhex("748b0e14c1a2c645"),
    args=Fields(amount=layouts.U64),
    accounts=(
        "funder",
        "market",
        "vault",
        "vault_token",
        "funder_token",
        "token_program",
        "event_authority",
        "program",
    ),
)


def fund_subsidy(
    *,
    amount: int,
    funder: Pubkey,
    market: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    funder_token: Pubkey,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    vault_data: Vault | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Adds market tokens to a vault's subsidy pool. Anyone."""

    if market is None:
        market = find_market(program_id)[0]
    if vault is None and vault_data is not None:
        vault = find_vault(vault_data.mint, vault_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("fund_subsidy", "vault", "pass vault, or vault_data to derive it from")
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None:
        raise MissingAccount("fund_subsidy", "vault_token", "pass vault_token, or vault_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"amount": amount}),
        [
            AccountMeta(funder, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(funder_token, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
