"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.rental_issue import RentalIssue


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IssueReported(Event):
    """`weight` is the micro-USD, paid by the renter before, that a report of a machine that is not as listed weighs
    against its host; it and `host_seq` are zero for a report that does not count.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("be7a741d24225f6c")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        renter=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        host=layouts.PUBKEY,
        issue=layouts.unit_enum(RentalIssue),
        weight=layouts.U64,
        at=layouts.I64,
        seq=layouts.U32,
        host_seq=layouts.U64,
    )

    rental: Pubkey
    renter: Pubkey
    listing: Pubkey
    host: Pubkey
    issue: RentalIssue
    weight: int
    at: int
    seq: int
    host_seq: int
