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

from ..accounts.host import Host
from ..pdas import find_event_authority, find_host, find_market
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="approve_host",
    discriminator=bytes.fromhex("af3a017c256337a9"),
    args=Fields(approved=layouts.BOOL, subsidy_budget=layouts.U64),
    accounts=("authority", "market", "host", "event_authority", "program"),
)


def approve_host(
    *,
    approved: bool,
    subsidy_budget: int,
    authority: Pubkey,
    market: Pubkey | None = None,
    host: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    host_data: Host | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Approves a host or takes the approval back, and sets the base units of subsidy that its machines may draw in a
    day. Authority.
    """

    if market is None:
        market = find_market(program_id)[0]
    if host is None and host_data is not None:
        host = find_host(host_data.authority, program_id)[0]
    if host is None:
        raise MissingAccount("approve_host", "host", "pass host, or host_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"approved": approved, "subsidy_budget": subsidy_budget}),
        [
            AccountMeta(authority, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
