"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.close_reason import CloseReason
from ..types.rental_state import RentalState


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RentalClosed(Event):
    """The whole split: `deposit + subsidy = paid + fees + burned + refunded + subsidy_returned + compensation`, where
    `paid` includes what settlements paid before, and `paid_now` is what this transaction paid. All are those of
    `charged` seconds; `used` is what the renter had of the machine. `deposit` is without what the rental paid as
    compensation when it displaced a holder.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("4dfca505a81ded28")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        renter=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        reason=layouts.unit_enum(CloseReason),
        state=layouts.unit_enum(RentalState),
        used=layouts.U32,
        charged=layouts.U32,
        deposit=layouts.U64,
        subsidy=layouts.U64,
        paid=layouts.U64,
        paid_now=layouts.U64,
        fees=layouts.U64,
        burned=layouts.U64,
        refunded=layouts.U64,
        subsidy_returned=layouts.U64,
        closed_by=layouts.PUBKEY,
        tip_lamports=layouts.U32,
        at=layouts.I64,
        seq=layouts.U32,
        listing_seq=layouts.U64,
        vault_seq=layouts.U64,
        completed=layouts.BOOL,
        host_owed=layouts.U64,
        renter_owed=layouts.U64,
        compensation=layouts.U64,
        compensation_kept=layouts.U64,
        held=layouts.U64,
        contest_by=layouts.I64,
        exit_code=layouts.U8,
        paid_usd=layouts.U64,
        host=layouts.PUBKEY,
        host_booked=layouts.U64,
        host_seq=layouts.U64,
    )

    rental: Pubkey
    renter: Pubkey
    listing: Pubkey
    mint: Pubkey
    reason: CloseReason
    state: RentalState
    """State of the rental when it ended."""
    used: int
    charged: int
    deposit: int
    subsidy: int
    paid: int
    paid_now: int
    fees: int
    burned: int
    refunded: int
    subsidy_returned: int
    closed_by: Pubkey
    tip_lamports: int
    at: int
    seq: int
    listing_seq: int
    vault_seq: int
    completed: bool
    """True if the listing counts it as a rental that ended well."""
    host_owed: int
    """Of `paid_now`, what the host could not be paid: its listing owes it."""
    renter_owed: int
    """Of `refunded`, what the renter could not be paid: the rental's account stays and owes it."""
    compensation: int
    """Paid by an order that its renter withdrew to the holder of the machine it waited for."""
    compensation_kept: int
    """Of `compensation`, what the holder could not take: a fee."""
    held: int
    """Of `paid_now`, what a finished rental holds back until `contest_by`."""
    contest_by: int
    exit_code: int
    """Exit code of a finished rental's command."""
    paid_usd: int
    """Micro-USD that the renter themselves has paid for `used`."""
    host: Pubkey
    host_booked: int
    """Left booked of the host's subsidy budget of the day, which has `subsidy_returned` back; both zero if the
    rental returned none or drew on another day's.
    """
    host_seq: int
