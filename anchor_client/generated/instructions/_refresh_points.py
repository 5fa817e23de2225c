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
from ..pdas import find_catalog, find_event_authority, find_host, find_listing
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="refresh_points",
    discriminator=bytes.fromhex("71a8459884f81f33"),
    args=Fields(),
    accounts=("caller", "catalog", "host", "listing", "event_authority", "program"),
)


def refresh_points(
    *,
    caller: Pubkey,
    catalog: Pubkey | None = None,
    host: Pubkey | None = None,
    listing: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    host_data: Host | None = None,
    listing_data: Listing | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Gives a listing the catalog's present points. Anyone."""

    if catalog is None:
        catalog = find_catalog(program_id)[0]
    if host is None and listing_data is not None:
        host = listing_data.host
    if host is None and host_data is not None:
        host = find_host(host_data.authority, program_id)[0]
    if host is None:
        raise MissingAccount("refresh_points", "host", "pass host, or listing_data, or host_data to derive it from")
    if listing is None and listing_data is not None:
        listing = find_listing(host, listing_data.id, program_id)[0]
    if listing is None:
        raise MissingAccount("refresh_points", "listing", "pass listing, or listing_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(caller, is_signer=True, is_writable=False),
            AccountMeta(catalog, is_signer=False, is_writable=False),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
