"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_market, find_pool, find_stake
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="compound",
    discriminator=bytes.fromhex("a5d0fb4ef2a08d2f"),
    args=Fields(),
    accounts=("owner", "market", "pool", "stake", "event_authority", "program"),
)


def compound(
    *,
    owner: Pubkey,
    market: Pubkey | None = None,
    pool: Pubkey | None = None,
    stake: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Stakes the rewards earned in the market token. Owner."""

    if market is None:
        market = find_market(program_id)[0]
    if pool is None:
        pool = find_pool(program_id)[0]
    if stake is None:
        stake = find_stake(owner, program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(owner, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(pool, is_signer=False, is_writable=True),
            AccountMeta(stake, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
