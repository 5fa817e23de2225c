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
from ..pdas import find_event_authority, find_proposal, find_stake
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="close_proposal",
    discriminator=bytes.fromhex("d5b28b1332bf52f5"),
    args=Fields(),
    accounts=("proposal", "stake", "proposer", "event_authority", "program"),
)


def close_proposal(
    *,
    proposal: Pubkey | None = None,
    stake: Pubkey | None = None,
    proposer: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    proposal_data: Proposal | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Returns the rent of a proposal to its proposer. Anyone, once nothing more can become of it.

    proposer: Only receives lamports.
    """

    if proposer is None and proposal_data is not None:
        proposer = proposal_data.proposer
    if proposer is None:
        raise MissingAccount("close_proposal", "proposer", "pass proposer, or proposal_data to derive it from")
    if proposal is None and proposal_data is not None:
        proposal = find_proposal(proposer, proposal_data.nonce, program_id)[0]
    if proposal is None:
        raise MissingAccount("close_proposal", "proposal", "pass proposal, or proposal_data to derive it from")
    if stake is None and proposal_data is not None:
        stake = find_stake(proposal_data.proposer, program_id)[0]
    if stake is None:
        raise MissingAccount("close_proposal", "stake", "pass stake, or proposal_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(proposal, is_signer=False, is_writable=True),
            AccountMeta(stake, is_signer=False, is_writable=True),
            AccountMeta(proposer, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
