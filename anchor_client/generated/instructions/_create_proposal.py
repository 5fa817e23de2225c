"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_market, find_pool, find_proposal, find_stake
from ..program import PROGRAM_ID, SYSTEM_PROGRAM
from ..types.action import Action

SPEC: Final = InstructionSpec(
    name="create_proposal",
    discriminator=bytes.fromhex("847444aed8a0c616"),
    args=Fields(nonce=layouts.U64, action=layouts.tagged_union(Action), title=layouts.STRING),
    accounts=("proposer", "market", "pool", "stake", "proposal", "system_program", "event_authority", "program"),
)


def create_proposal(
    *,
    nonce: int,
    action: Action,
    title: str,
    proposer: Pubkey,
    market: Pubkey | None = None,
    pool: Pubkey | None = None,
    stake: Pubkey | None = None,
    proposal: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Puts an action to the vote. Stakers above a threshold, one proposal at a time."""

    if market is None:
        market = find_market(program_id)[0]
    if pool is None:
        pool = find_pool(program_id)[0]
    if stake is None:
        stake = find_stake(proposer, program_id)[0]
    if proposal is None:
        proposal = find_proposal(proposer, nonce, program_id)[0]
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"nonce": nonce, "action": action, "title": title}),
        [
            AccountMeta(proposer, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=True),
            AccountMeta(pool, is_signer=False, is_writable=False),
            AccountMeta(stake, is_signer=False, is_writable=True),
            AccountMeta(proposal, is_signer=False, is_writable=True),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
