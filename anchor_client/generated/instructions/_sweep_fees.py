"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.market import Market
from ..accounts.vault import Vault
from ..pdas import find_associated_token, find_event_authority, find_market, find_vault
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="sweep_fees",
    discriminator=bytes.fromhex("afe1624776422294"),
    args=Fields(),
    accounts=(
        "caller",
        "market",
        "vault",
        "vault_token",
        "treasury_token",
        "mint",
        "token_program",
        "event_authority",
        "program",
    ),
)


def sweep_fees(
    *,
    caller: Pubkey,
    market: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    treasury_token: Pubkey | None = None,
    mint: Pubkey | None = None,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    market_data: Market | None = None,
    vault_data: Vault | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Divides a vault's fees between burn, stakers and treasury. Anyone.

    treasury_token: The treasury's token account, the associated one unless it signs.
    """

    if market is None:
        market = find_market(program_id)[0]
    if mint is None and vault_data is not None:
        mint = vault_data.mint
    if mint is None:
        raise MissingAccount("sweep_fees", "mint", "pass mint, or vault_data to derive it from")
    if vault is None and vault_data is not None:
        vault = find_vault(mint, vault_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("sweep_fees", "vault", "pass vault, or vault_data to derive it from")
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None:
        raise MissingAccount("sweep_fees", "vault_token", "pass vault_token, or vault_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if treasury_token is None and market_data is not None and vault_data is not None:
        treasury_token = find_associated_token(market_data.treasury, token_program, vault_data.mint)[0]
    if treasury_token is None:
        raise MissingAccount(
            "sweep_fees", "treasury_token", "pass treasury_token, or market_data and vault_data to derive it from"
        )
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(caller, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(treasury_token, is_signer=False, is_writable=True),
            AccountMeta(mint, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
