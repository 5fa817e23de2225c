"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.rental import Rental
from ..pdas import find_event_authority, find_rental, find_vault
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="contest_finish",
    discriminator=bytes.fromhex("b4956de9db725fcc"),
    args=Fields(),
    accounts=("renter", "rental", "listing", "vault", "event_authority", "program"),
)


def contest_finish(
    *,
    renter: Pubkey | None = None,
    rental: Pubkey | None = None,
    listing: Pubkey | None = None,
    vault: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    rental_data: Rental | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Denies that the command of a finished rental has ended: the host loses what was held back. Renter."""

    if renter is None and rental_data is not None:
        renter = rental_data.renter
    if renter is None:
        raise MissingAccount("contest_finish", "renter", "pass renter, or rental_data to derive it from")
    if rental is None and rental_data is not None:
        rental = find_rental(renter, rental_data.nonce, program_id)[0]
    if rental is None:
        raise MissingAccount("contest_finish", "rental", "pass rental, or rental_data to derive it from")
    if listing is None and rental_data is not None:
        listing = rental_data.listing
    if listing is None:
        raise MissingAccount("contest_finish", "listing", "pass listing, or rental_data to derive it from")
    if vault is None and rental_data is not None:
        vault = find_vault(rental_data.mint, rental_data.shard, program_id)[0]
    if vault is None:
        raise MissingAccount("contest_finish", "vault", "pass vault, or rental_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(renter, is_signer=True, is_writable=True),
            AccountMeta(rental, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
