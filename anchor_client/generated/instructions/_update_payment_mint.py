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

from ..accounts.payment_mint import PaymentMint
from ..pdas import find_event_authority, find_market, find_payment_mint
from ..program import PROGRAM_ID
from ..types.payment_mint_terms import PaymentMintTerms

SPEC: Final = InstructionSpec(
    name="update_payment_mint",
    discriminator=bytes.fromhex("67c8645ae26ee920"),
    args=Fields(terms=layouts.struct(PaymentMintTerms)),
    accounts=("authority", "market", "payment_mint", "event_authority", "program"),
)


def update_payment_mint(
    *,
    terms: PaymentMintTerms,
    authority: Pubkey,
    market: Pubkey | None = None,
    payment_mint: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    payment_mint_data: PaymentMint | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Changes a payment mint's terms for new orders. Authority."""

    if market is None:
        market = find_market(program_id)[0]
    if payment_mint is None and payment_mint_data is not None:
        payment_mint = find_payment_mint(payment_mint_data.mint, program_id)[0]
    if payment_mint is None:
        raise MissingAccount(
            "update_payment_mint", "payment_mint", "pass payment_mint, or payment_mint_data to derive it from"
        )
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"terms": terms}),
        [
            AccountMeta(authority, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(payment_mint, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
