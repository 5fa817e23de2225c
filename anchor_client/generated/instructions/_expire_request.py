"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.request import Request
from ..accounts.vault import Vault
from ..pdas import find_associated_token, find_event_authority, find_request, find_vault
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="expire_request",
    discriminator=bytes.fromhex("dbbd6961e32f7c17"),
    args=Fields(),
    accounts=(
        "caller",
        "request",
        "renter",
        "vault",
        "vault_token",
        "renter_payout",
        "token_program",
        "event_authority",
        "program",
    ),
)


def expire_request(
    *,
    caller: Pubkey,
    request: Pubkey | None = None,
    renter: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    renter_payout: Pubkey,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    request_data: Request | None = None,
    vault_data: Vault | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Ends a request that found no machine in time: the deposit returns. Anyone.

    caller: May be the renter: both only receive lamports.
    renter_payout: The renter's wallet for SOL, else their token account, the associated one unless they sign.
    """

    if renter is None and request_data is not None:
        renter = request_data.renter
    if renter is None:
        raise MissingAccount("expire_request", "renter", "pass renter, or request_data to derive it from")
    if request is None and request_data is not None:
        request = find_request(renter, request_data.nonce, program_id)[0]
    if request is None:
        raise MissingAccount("expire_request", "request", "pass request, or request_data to derive it from")
    if vault is None and request_data is not None:
        vault = find_vault(request_data.mint, request_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("expire_request", "vault", "pass vault, or request_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None and request_data is not None:
        vault_token = find_associated_token(vault, token_program, request_data.mint)[0]
    if vault_token is None:
        raise MissingAccount(
            "expire_request", "vault_token", "pass vault_token, or vault_data, or request_data to derive it from"
        )
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(caller, is_signer=True, is_writable=True),
            AccountMeta(request, is_signer=False, is_writable=True),
            AccountMeta(renter, is_signer=False, is_writable=True),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(renter_payout, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
