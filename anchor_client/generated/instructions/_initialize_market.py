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
from ..program import PROGRAM_ID, SYSTEM_PROGRAM
from ..types.market_keys import MarketKeys

SPEC: Final = InstructionSpec(
    name="initialize_market",
    discriminator=bytes.fromhex("2323bdc19b30aacb"),
    args=Fields(keys=layouts.struct(MarketKeys), testing=layouts.BOOL),
    accounts=("authority", "market", "program_data", "market_mint", "system_program", "event_authority", "program"),
)


def initialize_market(
    *,
    keys: MarketKeys,
    testing: bool,
    authority: Pubkey,
    market: Pubkey | None = None,
    program_data: Pubkey,
    market_mint: Pubkey,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Opens the market with its defaults, for tests or for use. Only the program's upgrade authority, once.

    program_data: The program's ProgramData account: only its upgrade authority opens the market, so nobody can be
    first instead.
    """

    if market is None:
        market = find_market(program_id)[0]
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"keys": keys, "testing": testing}),
        [
            AccountMeta(authority, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=True),
            AccountMeta(program_data, is_signer=False, is_writable=False),
            AccountMeta(market_mint, is_signer=False, is_writable=False),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
