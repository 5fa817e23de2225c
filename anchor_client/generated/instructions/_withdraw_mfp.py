"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.catalog import Catalog
from ..pdas import find_associated_token, find_catalog, find_event_authority, find_host
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="withdraw_mfp",
    discriminator=bytes.fromhex("2d0bfa34487d6c3a"),
    args=Fields(),
    accounts=(
        "authority",
        "catalog",
        "catalog_token",
        "host",
        "authority_token",
        "token_program",
        "event_authority",
        "program",
    ),
)


def withdraw_mfp(
    *,
    authority: Pubkey,
    catalog: Pubkey | None = None,
    catalog_token: Pubkey | None = None,
    host: Pubkey | None = None,
    authority_token: Pubkey | None = None,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    catalog_data: Catalog | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Pays out all unlocked tokens. Host."""

    if catalog is None:
        catalog = find_catalog(program_id)[0]
    if catalog_token is None and catalog_data is not None:
        catalog_token = catalog_data.token_account
    if catalog_token is None:
        raise MissingAccount("withdraw_mfp", "catalog_token", "pass catalog_token, or catalog_data to derive it from")
    if host is None:
        host = find_host(authority, program_id)[0]
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if authority_token is None and catalog_data is not None:
        authority_token = find_associated_token(authority, token_program, catalog_data.mint)[0]
    if authority_token is None:
        raise MissingAccount(
            "withdraw_mfp", "authority_token", "pass authority_token, or catalog_data to derive it from"
        )
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(authority, is_signer=True, is_writable=False),
            AccountMeta(catalog, is_signer=False, is_writable=True),
            AccountMeta(catalog_token, is_signer=False, is_writable=True),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(authority_token, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
