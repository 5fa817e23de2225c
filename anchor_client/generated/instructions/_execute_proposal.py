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
from ..pdas import find_event_authority, find_governance, find_proposal
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="execute_proposal",
    discriminator=bytes.fromhex("ba3c74856c806f1c"),
    args=Fields(),
    accounts=("caller", "proposal", "governance", "event_authority", "program"),
)


def execute_proposal(
    *,
    caller: Pubkey,
    proposal: Pubkey | None = None,
    governance: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    proposal_data: Proposal | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Does what was voted for. Anyone, after the timelock.

    caller: Lends the rent of an account that the action creates. May be whom the treasury pays, who only receives
    lamports. governance: The market's authority, the treasury's owner and the program's upgrade authority.
    """

    if proposal is None and proposal_data is not None:
        proposal = find_proposal(proposal_data.proposer, proposal_data.nonce, program_id)[0]
    if proposal is None:
        raise MissingAccount("execute_proposal", "proposal", "pass proposal, or proposal_data to derive it from")
    if governance is None:
        governance = find_governance(program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(caller, is_signer=True, is_writable=True),
            AccountMeta(proposal, is_signer=False, is_writable=True),
            AccountMeta(governance, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
