"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_associated_token, find_event_authority, find_market, find_pool
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="add_reward_mint",
    discriminator=bytes.fromhex("49d4f733d03eacbc"),
    args=Fields(),
    accounts=("authority", "market", "pool", "mint", "stream_token", "event_authority", "program"),
)


def add_reward_mint(
    *,
    authority: Pubkey,
    market: Pubkey | None = None,
    pool: Pubkey | None = None,
    mint: Pubkey,
    stream_token: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Lets stake earn rewards in one more mint. Authority.

    stream_token: The pool's associated token account of the mint.
    """

    if market is None:
        market = find_market(program_id)[0]
    if pool is None:
        pool = find_pool(program_id)[0]
    if stream_token is None:
        stream_token = find_associated_token(
            pool, Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"), mint
        )[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(authority, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(pool, is_signer=False, is_writable=True),
            AccountMeta(mint, is_signer=False, is_writable=False),
            AccountMeta(stream_token, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
