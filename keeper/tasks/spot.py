"""Spot machines: hands them to waiting orders, and refunds orders that waited in vain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.market.spot.preemption import preemption, taking_over
from anchor_client.rules.listing import is_idle
from anchor_client.rules.meter import meter_to_end
from anchor_client.rules.rental import Split, compensation, is_running, paid_until, split
from anchor_client.rules.subsidy import host_to_end
from keeper.tasks.rental import RentalSubject, ending
from keeper.tasks.task import Parties, Task, TaskAccounts


def _grace_over_at(subject: RentalSubject) -> int | None:
    return None if subject.challenger is None else subject.listing.preempt_at


def _preempted_until(subject: RentalSubject) -> int:
    """At the end of the paid time, at silence and once its host is late to start it ends by the tasks for those."""
    rental = subject.rental
    ends_at = paid_until(rental) if is_running(rental) else rental.created_at + rental.provision_timeout + 1
    return min(subject.overdue_at, ends_at)


def _preempted(subject: RentalSubject) -> Split:
    """As if in its last second but one, and compensated, so that whoever may be owed something is paid."""
    rental = subject.rental
    challenger = subject.challenger
    used = max(rental.duration - 1, rental.settled) if is_running(rental) else 0
    shares = split(rental, used, host_at_fault=False)
    if challenger is None:
        return shares
    return replace(shares, refunded=shares.refunded + compensation(challenger))


def _compensated(subject: RentalSubject, program_id: Pubkey) -> dict[str, Any]:
    if subject.challenger is None:
        raise ValueError("no order waits for its machine")
    return preemption(subject.listing, subject.rental, subject.challenger, program_id)


def _free_at(subject: RentalSubject) -> int | None:
    """Not before the host has claimed what the last rental could not pay it."""
    listing = subject.listing
    return listing.idle_since if is_idle(listing) and listing.owed == 0 else None


def _take_over(subject: RentalSubject, accounts: TaskAccounts) -> list[Instruction]:
    given = taking_over(subject.listing, subject.rental, accounts.program_id)
    return [build.take_over(listing=subject.rental.listing, **given, program_id=accounts.program_id)]


def _waited_too_long_at(subject: RentalSubject) -> int:
    """Only on a silent host, or one that has something to claim: any other machine can still be handed over."""
    late_at = subject.listing.preempt_at + subject.rental.provision_timeout + 1
    return late_at if subject.listing.owed else max(late_at, subject.overdue_at)


def _refund(subject: RentalSubject) -> Parties:
    return subject.paid(split(subject.rental, 0, host_at_fault=False))


def _withdraw(subject: RentalSubject, accounts: TaskAccounts) -> list[Instruction]:
    return [
        build.withdraw_challenger(
            caller=accounts.caller,
            rental=subject.address,
            rental_data=subject.rental,
            renter_payout=accounts.renter_payout,
            meter=meter_to_end(subject.address, subject.rental, accounts.program_id),
            host=host_to_end(subject.rental, subject.listing),
            program_id=accounts.program_id,
        )
    ]


PREEMPT_RENTAL: Final = ending(
    "preempt_rental", build.preempt, _grace_over_at, _preempted, _preempted_until, named=_compensated
)
TAKE_OVER_LISTING: Final[Task[RentalSubject]] = Task(
    "take_over_listing",
    _free_at,
    _take_over,
    ends_at=lambda subject: subject.overdue_at,
)
WITHDRAW_CHALLENGER: Final[Task[RentalSubject]] = Task(
    "withdraw_challenger", _waited_too_long_at, _withdraw, _refund, pays_tip=True
)
