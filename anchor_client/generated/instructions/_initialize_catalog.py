"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.market import Market
from ..pdas import find_associated_token, find_catalog, find_event_authority, find_market
from ..program import PROGRAM_ID, SYSTEM_PROGRAM

SPEC: Final = InstructionSpec(
    name="initialize_catalog",
    discriminator=bytes.fromhex("1ec34f37c50b666f"),
    args=Fields(),
    accounts=("authority", "market", "catalog", "catalog_token", "system_program", "event_authority", "program"),
)


def initialize_catalog(
    *,
    authority: Pubkey,
    market: Pubkey | None = None,
    catalog: Pubkey | None = None,
    catalog_token: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    market_data: Market | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Opens the catalog of GPU models. Authority, once.

    catalog_token: The catalog's associated token account of the market token.
    """

    if market is None:
        market = find_market(program_id)[0]
    if catalog is None:
        catalog = find_catalog(program_id)[0]
    if catalog_token is None and market_data is not None:
        catalog_token = find_associated_token(
            catalog, Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"), market_data.market_mint
        )[0]
    if catalog_token is None:
        raise MissingAccount(
            "initialize_catalog", "catalog_token", "pass catalog_token, or market_data to derive it from"
        )
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(authority, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(catalog, is_signer=False, is_writable=True),
            AccountMeta(catalog_token, is_signer=False, is_writable=False),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
