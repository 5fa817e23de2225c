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
from ..pdas import find_event_authority, find_gpu_model, find_host, find_listing
from ..program import PROGRAM_ID

SPEC: Final = InstructionSpec(
    name="refresh_listing",
    discriminator=bytes.fromhex("54d5c8bc8ef00c1e"),
    args=Fields(),
    accounts=("caller", "host", "listing", "gpu_model", "event_authority", "program"),
)


def refresh_listing(
    *,
    caller: Pubkey,
    host: Pubkey | None = None,
    listing: Pubkey | None = None,
    gpu_model: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    host_data: Host | None = None,
    listing_data: Listing | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Gives a listing the catalog's present points and reference price. Anyone.

    gpu_model: The listing's, in the catalog or not.
    """

    if host is None and listing_data is not None:
        host = listing_data.host
    if host is None and host_data is not None:
        host = find_host(host_data.authority, program_id)[0]
    if host is None:
        raise MissingAccount("refresh_listing", "host", "pass host, or listing_data, or host_data to derive it from")
    if listing is None and listing_data is not None:
        listing = find_listing(host, listing_data.id, program_id)[0]
    if listing is None:
        raise MissingAccount("refresh_listing", "listing", "pass listing, or listing_data to derive it from")
    if gpu_model is None and listing_data is not None:
        gpu_model = find_gpu_model(listing_data.gpu_model, program_id)[0]
    if gpu_model is None:
        raise MissingAccount("refresh_listing", "gpu_model", "pass gpu_model, or listing_data to derive it from")
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({}),
        [
            AccountMeta(caller, is_signer=True, is_writable=False),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(gpu_model, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
