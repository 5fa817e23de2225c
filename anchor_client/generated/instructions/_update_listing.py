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

from ..accounts.listing import Listing
from ..pdas import find_event_authority, find_gpu_model, find_host, find_listing
from ..program import PROGRAM_ID
from ..types.listing_spec import ListingSpec

SPEC: Final = InstructionSpec(
    name="update_listing",
    discriminator=bytes.fromhex("c0aed2447428f2fd"),
    args=Fields(spec=layouts.struct(ListingSpec)),
    accounts=("authority", "host", "listing", "gpu_model", "event_authority", "program"),
)


def update_listing(
    *,
    spec: ListingSpec,
    authority: Pubkey,
    host: Pubkey | None = None,
    listing: Pubkey | None = None,
    gpu_model: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    listing_data: Listing | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Changes what a listing says, for new rentals. Host.

    gpu_model: The machine's, in the catalog or not.
    """

    if host is None:
        host = find_host(authority, program_id)[0]
    if listing is None and listing_data is not None:
        listing = find_listing(host, listing_data.id, program_id)[0]
    if listing is None:
        raise MissingAccount("update_listing", "listing", "pass listing, or listing_data to derive it from")
    if gpu_model is None:
        gpu_model = find_gpu_model(spec.gpu_model, program_id)[0]
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"spec": spec}),
        [
            AccountMeta(authority, is_signer=True, is_writable=False),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(gpu_model, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
