"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_market, find_pool
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="fund_rewards",
    discriminator=bytes.fromhex("7240a370afa71379"),
    args=Fields(stream=layouts.U8, amount=layouts.U64),
    accounts=(
        "funder",
        "market",
        "pool",
        "stream_token",
        "funder_token",
        "token_program",
        "event_authority",
        "program",
    ),
)


def fund_rewards(
    *,
    stream: int,
    amount: int,
    funder: Pubkey,
    market: Pubkey | None = None,
    pool: Pubkey | None = None,
    stream_token: Pubkey,
    funder_token: Pubkey,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Adds rewards for the next epoch. Anyone."""

    if market is None:
        market = find_market(program_id)[0]
    if pool is None:
        pool = find_pool(program_id)[0]
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"stream": stream, "amount": amount}),
        [
            AccountMeta(funder, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(pool, is_signer=False, is_writable=True),
            AccountMeta(stream_token, is_signer=False, is_writable=True),
            AccountMeta(funder_token, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
