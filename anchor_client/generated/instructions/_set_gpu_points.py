"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_catalog, find_event_authority, find_market
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="set_gpu_points",
    discriminator=bytes.fromhex("4889ffeb9f599821"),
    args=Fields(model=layouts.U16, points=layouts.U16),
    accounts=("authority", "market", "catalog", "event_authority", "program"),
)


def set_gpu_points(
    *,
    model: int,
    points: int,
    authority: Pubkey,
    market: Pubkey | None = None,
    catalog: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Sets the points of one GPU of a model. Authority."""

    if market is None:
        market = find_market(program_id)[0]
    if catalog is None:
        catalog = find_catalog(program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"model": model, "points": points}),
        [
            AccountMeta(authority, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(catalog, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
