"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.proposal import Proposal
from ..accounts.vote_record import VoteRecord
from ..pdas import find_event_authority, find_proposal, find_vote_record
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="close_vote",
    discriminator=bytes.fromhex("899857f9aaef853b"),
    args=Fields(),
    accounts=("vote_record", "proposal", "voter", "event_authority", "program"),
)


def close_vote(
    *,
    vote_record: Pubkey | None = None,
    proposal: Pubkey | None = None,
    voter: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    vote_record_data: VoteRecord | None = None,
    proposal_data: Proposal | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Returns the rent of a vote to its voter. Anyone, once the vote is over.

    proposal: May be closed, and nothing is ever made at its address again.
    voter: Only receives lamports.
    """

    if proposal is None and vote_record_data is not None:
        proposal = vote_record_data.proposal
    if proposal is None and proposal_data is not None:
        proposal = find_proposal(proposal_data.proposer, proposal_data.nonce, program_id)[0]
    if proposal is None:
        raise MissingAccount(
            "close_vote", "proposal", "pass proposal, or vote_record_data, or proposal_data to derive it from"
        )
    if voter is None and vote_record_data is not None:
        voter = vote_record_data.voter
    if voter is None:
        raise MissingAccount("close_vote", "voter", "pass voter, or vote_record_data to derive it from")
    if vote_record is None:
        vote_record = find_vote_record(proposal, voter, program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(vote_record, is_signer=False, is_writable=True),
            AccountMeta(proposal, is_signer=False, is_writable=False),
            AccountMeta(voter, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
