"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.vault import Vault
from ..pdas import find_associated_token, find_event_authority, find_market, find_pool, find_vault
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="sweep_stakers",
    discriminator=bytes.fromhex("96e11eb9840abd6a"),
    args=Fields(),
    accounts=(
        "caller",
        "market",
        "pool",
        "stream_token",
        "vault",
        "vault_token",
        "token_program",
        "event_authority",
        "program",
    ),
)


def sweep_stakers(
    *,
    caller: Pubkey,
    market: Pubkey | None = None,
    pool: Pubkey | None = None,
    stream_token: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    vault_data: Vault | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Moves the stakers' share of a vault's fees to their rewards. Anyone.

    stream_token: The pool's, of the stream; the treasury's, the associated one unless it signs, where the pool has
    no stream left.
    """

    if market is None:
        market = find_market(program_id)[0]
    if pool is None:
        pool = find_pool(program_id)[0]
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if stream_token is None and vault_data is not None:
        stream_token = find_associated_token(pool, token_program, vault_data.mint)[0]
    if stream_token is None:
        raise MissingAccount("sweep_stakers", "stream_token", "pass stream_token, or vault_data to derive it from")
    if vault is None and vault_data is not None:
        vault = find_vault(vault_data.mint, vault_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("sweep_stakers", "vault", "pass vault, or vault_data to derive it from")
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None:
        raise MissingAccount("sweep_stakers", "vault_token", "pass vault_token, or vault_data to derive it from")
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
            AccountMeta(pool, is_signer=False, is_writable=True),
            AccountMeta(stream_token, is_signer=False, is_writable=True),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
