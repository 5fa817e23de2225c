"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_market, find_payment_mint
from ..program import PROGRAM_ID, SYSTEM_PROGRAM
from ..types.payment_mint_terms import PaymentMintTerms

SPEC: Final = InstructionSpec(
    name="add_payment_mint",
    discriminator=bytes.fromhex("7a9509ba15c93cf1"),
    args=Fields(terms=layouts.struct(PaymentMintTerms)),
    accounts=("authority", "market", "mint", "payment_mint", "system_program", "event_authority", "program"),
)


def add_payment_mint(
    *,
    terms: PaymentMintTerms,
    authority: Pubkey,
    market: Pubkey | None = None,
    mint: Pubkey,
    payment_mint: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Lets orders be paid in an SPL Token mint. Authority."""

    if market is None:
        market = find_market(program_id)[0]
    if payment_mint is None:
        payment_mint = find_payment_mint(mint, program_id)[0]
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"terms": terms}),
        [
            AccountMeta(authority, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(mint, is_signer=False, is_writable=False),
            AccountMeta(payment_mint, is_signer=False, is_writable=True),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
