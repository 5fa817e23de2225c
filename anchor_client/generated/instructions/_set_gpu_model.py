"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_gpu_model, find_market
from ..program import PROGRAM_ID, SYSTEM_PROGRAM
from ..types.gpu_terms import GpuTerms

SPEC: Final = InstructionSpec(
    name="set_gpu_model",
    discriminator=bytes.fromhex("3eaead1debe58948"),
    args=Fields(number=layouts.U16, terms=layouts.struct(GpuTerms)),
    accounts=("authority", "market", "gpu_model", "system_program", "event_authority", "program"),
)


def set_gpu_model(
    *,
    number: int,
    terms: GpuTerms,
    authority: Pubkey,
    market: Pubkey | None = None,
    gpu_model: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Sets the points and the reference price of one GPU of a model. Authority."""

    if market is None:
        market = find_market(program_id)[0]
    if gpu_model is None:
        gpu_model = find_gpu_model(number, program_id)[0]
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"number": number, "terms": terms}),
        [
            AccountMeta(authority, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(gpu_model, is_signer=False, is_writable=True),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
