"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_market, find_pool, find_stake
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="claim",
    discriminator=bytes.fromhex("3ec6d6c1d59f6cd2"),
    args=Fields(stream=layouts.U8),
    accounts=(
        "owner",
        "market",
        "pool",
        "stream_token",
        "stake",
        "owner_payout",
        "token_program",
        "event_authority",
        "program",
    ),
)


def claim(
    *,
    stream: int,
    owner: Pubkey,
    market: Pubkey | None = None,
    pool: Pubkey | None = None,
    stream_token: Pubkey,
    stake: Pubkey | None = None,
    owner_payout: Pubkey,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Pays out the rewards of one stream. Owner.

    owner: Is paid SOL itself.
    owner_payout: The owner's wallet for SOL, else any token account of theirs.
    """

    if market is None:
        market = find_market(program_id)[0]
    if pool is None:
        pool = find_pool(program_id)[0]
    if stake is None:
        stake = find_stake(owner, program_id)[0]
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"stream": stream}),
        [
            AccountMeta(owner, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(pool, is_signer=False, is_writable=True),
            AccountMeta(stream_token, is_signer=False, is_writable=True),
            AccountMeta(stake, is_signer=False, is_writable=True),
            AccountMeta(owner_payout, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
