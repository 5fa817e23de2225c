"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.instructions import InstructionSpec
from anchor_idl.runtime.layouts import Fields

from ..pdas import find_event_authority, find_gpu_model, find_host, find_listing, find_market
from ..program import PROGRAM_ID, SYSTEM_PROGRAM
from ..types.listing_spec import ListingSpec

SPEC: Final = InstructionSpec(
    name="create_listing",
    discriminator=bytes.fromhex("12a82d18bf1f7536"),
    args=Fields(id=layouts.U32, spec=layouts.struct(ListingSpec)),
    accounts=("authority", "market", "host", "listing", "gpu_model", "system_program", "event_authority", "program"),
)


def create_listing(
    *,
    id: int,
    spec: ListingSpec,
    authority: Pubkey,
    market: Pubkey | None = None,
    host: Pubkey | None = None,
    listing: Pubkey | None = None,
    gpu_model: Pubkey | None = None,
    system_program: Pubkey | None = None,
    event_authority: Pubkey | None = None,
    program: Pubkey | None = None,
    remaining_accounts: Sequence[AccountMeta] = (),
    program_id: Pubkey = PROGRAM_ID,
) -> Instruction:
    """Lists a machine under the host's next number. Approved host.

    gpu_model: The machine's, in the catalog or not.
    """

    if market is None:
        market = find_market(program_id)[0]
    if host is None:
        host = find_host(authority, program_id)[0]
    if listing is None:
        listing = find_listing(host, id, program_id)[0]
    if gpu_model is None:
        gpu_model = find_gpu_model(spec.gpu_model, program_id)[0]
    if system_program is None:
        system_program = SYSTEM_PROGRAM
    if event_authority is None:
        event_authority = find_event_authority(program_id)[0]
    if program is None:
        program = program_id

    return Instruction(
        program_id,
        SPEC.encode({"id": id, "spec": spec}),
        [
            AccountMeta(authority, is_signer=True, is_writable=True),
            AccountMeta(market, is_signer=False, is_writable=False),
            AccountMeta(host, is_signer=False, is_writable=True),
            AccountMeta(listing, is_signer=False, is_writable=True),
            AccountMeta(gpu_model, is_signer=False, is_writable=False),
            AccountMeta(system_program, is_signer=False, is_writable=False),
            AccountMeta(event_authority, is_signer=False, is_writable=False),
            AccountMeta(program, is_signer=False, is_writable=False),
            *remaining_accounts,
        ],
    )
