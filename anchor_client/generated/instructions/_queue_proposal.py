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
from ..pdas import find_event_authority, find_proposal
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="queue_proposal",
    discriminator=bytes.fromhex("a8db8bd3cd987d6e"),
    args=Fields(),
    accounts=("proposal", "event_authority", "program"),
)


def queue_proposal(
    *,
    proposal: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    proposal_data: Proposal | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Counts the votes: queues the proposal for execution or defeats it. Anyone, in the week after the vote."""

    if proposal is None and proposal_data is not None:
        proposal = find_proposal(proposal_data.proposer, proposal_data.nonce, program_id)[0]
    if proposal is None:
        raise MissingAccount("queue_proposal", "proposal", "pass proposal, or proposal_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(proposal, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
