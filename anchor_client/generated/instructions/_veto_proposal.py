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
from ..pdas import find_event_authority, find_market, find_proposal
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="veto_proposal",
    discriminator=bytes.fromhex("b1c5d060a94417a2"),
    args=Fields(),
    accounts=("guardian", "market", "proposal", "event_authority", "program"),
)


def veto_proposal(
    *,
    guardian: Pubkey,
    market: Pubkey | None = None,
    proposal: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    proposal_data: Proposal | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Stops a queued upgrade or payment of the treasury. Guardian."""

    if market is None:
        market = find_market(program_id)[0]
    if proposal is None and proposal_data is not None:
        proposal = find_proposal(proposal_data.proposer, proposal_data.nonce, program_id)[0]
    if proposal is None:
        raise MissingAccount("veto_proposal", "proposal", "pass proposal, or proposal_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(guardian, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(proposal, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
