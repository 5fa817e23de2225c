"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_market
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="sweep_rent",
    discriminator=bytes.fromhex("11ea3af1fb9487b9"),
    args=Fields(),
    accounts=("market", "account", "owner", "event_authority", "program"),
)


def sweep_rent(
    *,
    market: Pubkey | None = None,
    account: Pubkey,
    owner: Pubkey,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Gives an account's lamports beyond its rent to whose account it is. Anyone.

    account: Of the market, a host, a listing, a renter or a staker. May be `market`: only lamports move.
    owner: Owner of the account; the treasury for those of the market.
    """

    if market is None:
        market = find_market(program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(account, is_signer=False, is_writable=True),
            AccountMeta(owner, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
