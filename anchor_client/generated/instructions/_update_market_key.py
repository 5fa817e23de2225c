"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_market
from ..program import PROGRAM_ID
from ..types.market_key import MarketKey

SPEC: Final = InstructionSpec(
    name="update_market_key",
    discriminator=bytes.fromhex("46b7a5fdffcbee88"),
    args=Fields(key=layouts.unit_enum(MarketKey), new=layouts.PUBKEY),
    accounts=("authority", "market", "event_authority", "program"),
)


def update_market_key(
    *,
    key: MarketKey,
    new: Pubkey,
    authority: Pubkey,
    market: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Replaces the guardian or the treasury wallet. Authority."""

    if market is None:
        market = find_market(program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"key": key, "new": new}),
        [
            AccountMeta(authority, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
