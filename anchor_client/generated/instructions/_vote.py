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

from ..accounts.proposal import Proposal
from ..pdas import find_event_authority, find_proposal, find_stake, find_vote_record
from ..program import PROGRAM_ID, SYSTEM_PROGRAM

SPEC: Final = InstructionSpec(
    name="vote",
    discriminator=bytes.fromhex("e36e9b17887eac19"),
    args=Fields(support=layouts.BOOL),
    accounts=("voter", "proposal", "stake", "vote_record", "system_program", "event_authority", "program"),
)


def vote(
    *,
    support: bool,
    voter: Pubkey,
    proposal: Pubkey | None = None,
    stake: Pubkey | None = None,
    vote_record: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    proposal_data: Proposal | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Votes with the stake that has been active since the proposal opened. Stakers, once each."""

    if proposal is None and proposal_data is not None:
        proposal = find_proposal(proposal_data.proposer, proposal_data.nonce, program_id)[0]
    if proposal is None:
        raise MissingAccount("vote", "proposal", "pass proposal, or proposal_data to derive it from")
    if stake is None:
        stake = find_stake(voter, program_id)[0]
    if vote_record is None:
        vote_record = find_vote_record(proposal, voter, program_id)[0]
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"support": support}),
        [
            AccountMeta(voter, is_signer=True, is_writable=True),
            AccountMeta(proposal, is_signer=False, is_writable=True),
            AccountMeta(stake, is_signer=False, is_writable=True),
            AccountMeta(vote_record, is_signer=False, is_writable=True),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
