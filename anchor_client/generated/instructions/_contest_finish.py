"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..accounts.host import Host
from ..accounts.listing import Listing
from ..accounts.rental import Rental
from ..pdas import find_event_authority, find_host, find_market, find_rental, find_renter_profile, find_vault
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="contest_finish",
    discriminator=bytes.fromhex("b4956de9db725fcc"),
    args=Fields(),
    accounts=("renter", "market", "rental", "listing", "host", "renter_profile", "vault", "event_authority", "program"),
)


def contest_finish(
    *,
    renter: Pubkey | None = None,
    market: Pubkey | None = None,
    rental: Pubkey | None = None,
    listing: Pubkey | None = None,
    host: Pubkey | None = None,
    renter_profile: Pubkey | None = None,
    vault: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    rental_data: Rental | None = None,
    listing_data: Listing | None = None,
    host_data: Host | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Denies that the command of a finished rental has ended: the host loses what was held back, and it weighs as a
    report. Renter.
    """

    if renter is None and rental_data is not None:
        renter = rental_data.renter
    if renter is None:
        raise MissingAccount("contest_finish", "renter", "pass renter, or rental_data to derive it from")
    if market is None:
        market = find_market(program_id)[0]
    if rental is None and rental_data is not None:
        rental = find_rental(renter, rental_data.nonce, program_id)[0]
    if rental is None:
        raise MissingAccount("contest_finish", "rental", "pass rental, or rental_data to derive it from")
    if listing is None and rental_data is not None:
        listing = rental_data.listing
    if listing is None:
        raise MissingAccount("contest_finish", "listing", "pass listing, or rental_data to derive it from")
    if host is None and listing_data is not None:
        host = listing_data.host
    if host is None and host_data is not None:
        host = find_host(host_data.authority, program_id)[0]
    if host is None:
        raise MissingAccount("contest_finish", "host", "pass host, or listing_data, or host_data to derive it from")
    if renter_profile is None and rental_data is not None:
        renter_profile = find_renter_profile(rental_data.renter, program_id)[0]
    if renter_profile is None:
        raise MissingAccount(
            "contest_finish", "renter_profile", "pass renter_profile, or rental_data to derive it from"
        )
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
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(rental, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(renter_profile, is_signer=False, is_writable=True),
            AccountMeta(vault, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
