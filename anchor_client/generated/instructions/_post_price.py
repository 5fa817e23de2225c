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

SPEC: Final = InstructionSpec(
    name="post_price",
    discriminator=bytes.fromhex("82f58a8d72320d30"),
    args=Fields(price=layouts.U64),
    accounts=("oracle", "market", "payment_mint", "event_authority", "program"),
)


def post_price(
    *,
    price: int,
    oracle: Pubkey,
    market: Pubkey | None = None,
    payment_mint: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    payment_mint_data: PaymentMint | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Posts a price in pico-USD per whole token. The mint's oracle key."""

    if market is None:
        market = find_market(program_id)[0]
    if payment_mint is None and payment_mint_data is not None:
        payment_mint = find_payment_mint(payment_mint_data.mint, program_id)[0]
    if payment_mint is None:
        raise MissingAccount("post_price", "payment_mint", "pass payment_mint, or payment_mint_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"price": price}),
        [
            AccountMeta(oracle, is_signer=True, is_writable=False),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(payment_mint, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
