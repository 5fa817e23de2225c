"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_catalog, find_event_authority, find_governance, find_market, find_pool
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="hand_over",
    discriminator=bytes.fromhex("3ba0cd5851e063ed"),
    args=Fields(),
    accounts=("authority", "market", "pool", "catalog", "governance", "event_authority", "program"),
)


def hand_over(
    *,
    authority: Pubkey,
    market: Pubkey | None = None,
    pool: Pubkey | None = None,
    catalog: Pubkey | None = None,
    governance: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Makes the stakers' vote the market's authority, for ever. Authority.

    catalog: It must be there, since only the authority opens it.
    """

    if market is None:
        market = find_market(program_id)[0]
    if pool is None:
        pool = find_pool(program_id)[0]
    if catalog is None:
        catalog = find_catalog(program_id)[0]
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
            AccountMeta(authority, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=True),
            AccountMeta(pool, is_signer=False, is_writable=False),
            AccountMeta(catalog, is_signer=False, is_writable=False),
            AccountMeta(governance, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
