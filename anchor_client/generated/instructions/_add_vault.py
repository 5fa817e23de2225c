"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_associated_token, find_event_authority, find_payment_mint, find_vault
from ..program import PROGRAM_ID, SYSTEM_PROGRAM

SPEC: Final = InstructionSpec(
    name="add_vault",
    discriminator=bytes.fromhex("84c55fab592ca582"),
    args=Fields(shard=layouts.U8),
    accounts=("caller", "mint", "payment_mint", "vault", "vault_token", "system_program", "event_authority", "program"),
)


def add_vault(
    *,
    shard: int,
    caller: Pubkey,
    mint: Pubkey,
    payment_mint: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Adds a vault shard within the mint's shards; its associated token account must exist. Anyone.

    vault_token: The vault's associated token account; whoever made it, it is the vault's.
    """

    if payment_mint is None:
        payment_mint = find_payment_mint(mint, program_id)[0]
    if vault is None:
        vault = find_vault(mint, shard, program_id)[0]
    if vault_token is None:
        vault_token = find_associated_token(
            vault, Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"), mint
        )[0]
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"shard": shard}),
        [
            AccountMeta(caller, is_signer=True, is_writable=True),
            AccountMeta(mint, is_signer=False, is_writable=False),
            AccountMeta(payment_mint, is_signer=False, is_writable=False),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=False),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
