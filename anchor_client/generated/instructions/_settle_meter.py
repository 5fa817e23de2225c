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

from ..accounts.meter import Meter
from ..accounts.vault import Vault
from ..pdas import find_associated_token, find_event_authority, find_meter, find_vault
from ..program import PROGRAM_ID, TOKEN_PROGRAM

SPEC: Final = InstructionSpec(
    name="settle_meter",
    discriminator=bytes.fromhex("5a9229b8495c4488"),
    args=Fields(payout_bump=layouts.U8),
    accounts=("meter", "vault", "vault_token", "host_payout", "token_program", "event_authority", "program"),
)


def settle_meter(
    *,
    payout_bump: int,
    meter: Pubkey | None = None,
    vault: Pubkey | None = None,
    vault_token: Pubkey | None = None,
    host_payout: Pubkey,
    token_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    meter_data: Meter | None = None,
    vault_data: Vault | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Pays the host the usage that nobody may dispute any more. Anyone.

    host_payout: The host's wallet for SOL, else their associated token account.
    """

    if meter is None and meter_data is not None:
        meter = find_meter(meter_data.rental, program_id)[0]
    if meter is None:
        raise MissingAccount("settle_meter", "meter", "pass meter, or meter_data to derive it from")
    if vault is None and meter_data is not None:
        vault = find_vault(meter_data.mint, meter_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("settle_meter", "vault", "pass vault, or meter_data to derive it from")
    if token_program is None:
        token_program = TOKEN_PROGRAM
    if vault_token is None and vault_data is not None:
        vault_token = vault_data.token_account
    if vault_token is None and meter_data is not None:
        vault_token = find_associated_token(vault, token_program, meter_data.mint)[0]
    if vault_token is None:
        raise MissingAccount(
            "settle_meter", "vault_token", "pass vault_token, or vault_data, or meter_data to derive it from"
        )
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"payout_bump": payout_bump}),
        [
            AccountMeta(meter, is_signer=False, is_writable=True),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(vault_token, is_signer=False, is_writable=True),
            AccountMeta(host_payout, is_signer=False, is_writable=True),
            AccountMeta(token_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
