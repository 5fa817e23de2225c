"""Rentals that anyone may end: expired, on a silent host, or never started; and hosts to be marked as silent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.types import Silence
from anchor_client.rules.listing import answer_by, lapses_at, overdue_at
from anchor_client.rules.meter import meter_to_end
from anchor_client.rules.rental import (
    Split,
    contest_by,
    holdback,
    is_running,
    overdue_before_end,
    paid_until,
    split,
    unstarted_tip,
    used_until_silence,
)
from anchor_client.rules.subsidy import host_to_end
from keeper.tasks.task import Parties, Payee, Subject, Task, TaskAccounts


@dataclass(frozen=True, slots=True)
class RentalSubject(Subject):
    """A rental and the listing that it holds or waits for."""

    rental: Rental = field(repr=False)
    listing: Listing = field(repr=False)
    challenger: Rental | None = field(default=None, repr=False)
    """The rental that waits for the machine which this one holds."""

    @property
    def tip(self) -> int:
        return self.rental.tip_lamports

    @property
    def batch_key(self) -> bytes:
        return bytes(self.rental.mint) + self.rental.shard.to_bytes(1)

    @property
    def is_waiting(self) -> bool:
        """True if it waits for the machine instead of holding it."""
        return self.listing.challenger == self.address

    @property
    def overdue_at(self) -> int:
        """Time from which the host can be marked, unix seconds."""
        return overdue_at(self.listing, self.rental.offline_after)

    def paid(self, shares: Split) -> Parties:
        """The parties that get something when the escrow is divided into these shares."""
        mint = self.rental.mint
        return Parties(
            host=Payee(self.listing.authority, mint) if shares.paid > 0 else None,
            renter=Payee(self.rental.renter, mint) if shares.refunded > 0 else None,
        )


Moment = Callable[[RentalSubject], int | None]
Named = Callable[[RentalSubject, Pubkey], Mapping[str, Any]]


def ending(
    name: str,
    instruction: Callable[..., Instruction],
    due_at: Moment,
    shares: Callable[[RentalSubject], Split],
    ends_at: Moment = lambda _: None,
    *,
    named: Named | None = None,
    tip: Callable[[RentalSubject], int] = lambda subject: subject.tip,
) -> Task[RentalSubject]:
    """A task that ends the rental which holds a machine; `shares` is how its escrow will be divided.

    `named` gives the instruction's other accounts, in the program at an address; by default the host, whose budget
    has back what the rental has not earned of its subsidy.
    """

    def given_back(subject: RentalSubject, _: Pubkey) -> Mapping[str, Any]:
        is_earned = shares(subject).subsidy_returned == 0
        return {"host": None if is_earned else host_to_end(subject.rental, subject.listing)}

    besides = named or given_back

    def call(subject: RentalSubject, accounts: TaskAccounts) -> list[Instruction]:
        return [
            instruction(
                caller=accounts.caller,
                rental=subject.address,
                rental_data=subject.rental,
                renter_payout=accounts.renter_payout,
                host_payout=accounts.host_payout,
                mint=subject.rental.mint if shares(subject).burned > 0 else None,
                meter=meter_to_end(subject.address, subject.rental, accounts.program_id),
                **besides(subject, accounts.program_id),
                program_id=accounts.program_id,
            )
        ]

    return Task(name, due_at, call, lambda subject: subject.paid(shares(subject)), ends_at, pays_tip=True, tip=tip)


def _expired_at(subject: RentalSubject) -> int | None:
    """A rental whose host was marked before its end waits for the answer; a proven silence ends it by a report."""
    rental = subject.rental
    listing = subject.listing
    if not is_running(rental):
        return None
    if listing.silence == Silence.HEARD or not overdue_before_end(rental, listing):
        return paid_until(rental)
    if listing.silence == Silence.PROVEN:
        return None
    return max(paid_until(rental), lapses_at(listing))


def _expired(subject: RentalSubject) -> Split:
    return split(subject.rental, subject.rental.duration, host_at_fault=False)


def _matters(subject: RentalSubject) -> bool:
    """Silence that begins to count at the end of the paid time or later no longer matters."""
    return is_running(subject.rental) and overdue_before_end(subject.rental, subject.listing)


def _mark_at(subject: RentalSubject) -> int | None:
    """Again once a mark has lapsed; until then a silence that matters is reported."""
    listing = subject.listing
    if not _matters(subject) or listing.silence == Silence.PROVEN:
        return None
    if listing.silence == Silence.HEARD:
        return subject.overdue_at
    return lapses_at(listing)


def _mark(subject: RentalSubject, accounts: TaskAccounts) -> list[Instruction]:
    return [build.mark_silent(listing=subject.rental.listing, program_id=accounts.program_id)]


def _offline_at(subject: RentalSubject) -> int | None:
    is_marked = subject.listing.silence != Silence.HEARD
    return answer_by(subject.listing) if _matters(subject) and is_marked else None


def _offline_until(subject: RentalSubject) -> int | None:
    if subject.listing.silence != Silence.MARKED:
        return None
    return lapses_at(subject.listing)


def _offline(subject: RentalSubject) -> Split:
    return split(subject.rental, used_until_silence(subject.rental, subject.listing), host_at_fault=True)


def _late_at(subject: RentalSubject) -> int | None:
    """The host may still start in the last second of its time."""
    rental = subject.rental
    if is_running(rental):
        return None
    return rental.created_at + rental.provision_timeout + 1


def _unstarted(subject: RentalSubject) -> Split:
    return split(subject.rental, 0, host_at_fault=True)


def _released_at(subject: RentalSubject) -> int | None:
    return contest_by(subject.rental)


def _release(subject: RentalSubject, accounts: TaskAccounts) -> list[Instruction]:
    return [
        build.release_holdback(
            caller=accounts.caller,
            rental=subject.address,
            rental_data=subject.rental,
            host_payout=accounts.host_payout,
            program_id=accounts.program_id,
        )
    ]


def _held_for(subject: RentalSubject) -> Parties:
    rental = subject.rental
    held = holdback(rental, rental.settled)
    return Parties(host=Payee(subject.listing.authority, rental.mint) if held > 0 else None)


FINALIZE_RENTAL: Final = ending("finalize_rental", build.finalize_rental, _expired_at, _expired)
MARK_SILENT: Final[Task[RentalSubject]] = Task("mark_silent", _mark_at, _mark)
REPORT_OFFLINE: Final = ending("report_offline", build.report_offline, _offline_at, _offline, _offline_until)
RELEASE_HOLDBACK: Final[Task[RentalSubject]] = Task("release_holdback", _released_at, _release, _held_for)
CANCEL_UNSTARTED: Final = ending(
    "cancel_unstarted", build.cancel_unstarted, _late_at, _unstarted, tip=lambda subject: unstarted_tip(subject.rental)
)
