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
    """IssueReported."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("be7a741d24225f6c")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        issue=layouts.unit_enum(RentalIssue),
        at=layouts.I64,
        seq=layouts.U32,
    )

    rental: Pubkey
    listing: Pubkey
    issue: RentalIssue
    at: int
    seq: int
