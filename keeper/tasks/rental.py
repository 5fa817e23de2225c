"""Rentals that anyone may end: expired, on a silent host, or never started."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from solders.instruction import Instruction

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.rules.rental import (
    Split,
    is_running,
    offline_at,
    paid_until,
    silent_before_end,
    split,
    used_until_silence,
)
from keeper.tasks.task import Accounts, Parties, Subject, Task
from keeper.token_accounts import Payee


@dataclass(frozen=True, slots=True)
class RentalSubject(Subject):
    """A rental and the listing that it holds or waits for."""

    rental: Rental = field(repr=False)
    listing: Listing = field(repr=False)

    @property
    def tip(self) -> int:
        return self.rental.tip_lamports

    @property
    def batch_key(self) -> bytes:
        return bytes(self.rental.mint) + self.rental.shard.to_bytes(1)

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for the machine instead of holding it."""
        return self.listing.challenger == self.address

    @property
    def offline_at(self) -> int:
        """When the host counts as offline, unix seconds."""
        return offline_at(self.rental, self.listing)

    def paid(self, shares: Split) -> Parties:
        """The parties that get something when the escrow is divided into these shares."""
        mint = self.rental.mint
        return Parties(
            host=Payee(self.listing.authority, mint) if shares.paid > 0 else None,
            renter=Payee(self.rental.renter, mint) if shares.refunded > 0 else None,
        )


Moment = Callable[[RentalSubject], int | None]


def ending(
    name: str,
    instruction: Callable[..., Instruction],
    due_at: Moment,
    shares: Callable[[RentalSubject], Split],
    ends_at: Moment = lambda _: None,
    *,
    names_challenger: bool = False,
) -> Task[RentalSubject]:
    """A task that ends the rental which holds a machine; `shares` is how its escrow will be divided.

    `names_challenger`: whether the instruction names the rental that waits for the machine.
    """

    def call(subject: RentalSubject, accounts: Accounts) -> list[Instruction]:
        return [
            instruction(
                caller=accounts.caller,
                rental=subject.address,
                rental_data=subject.rental,
                renter_token=accounts.renter_token,
                host_token=accounts.host_token,
                mint=subject.rental.mint if shares(subject).burned > 0 else None,
                **({"challenger": subject.listing.challenger} if names_challenger else {}),
                program_id=accounts.program_id,
            )
        ]

    return Task(name, due_at, call, lambda subject: subject.paid(shares(subject)), ends_at, pays_tip=True)


def _expired_at(subject: RentalSubject) -> int | None:
    return paid_until(subject.rental) if is_running(subject.rental) else None


def _expired(subject: RentalSubject) -> Split:
    """A host that was silent before the end is paid up to its last heartbeat only."""
    rental, listing = subject.rental, subject.listing
    if silent_before_end(rental, listing):
        return _offline(subject)
    return split(rental, rental.duration, host_at_fault=False)


def _offline_at(subject: RentalSubject) -> int | None:
    """Silence that begins to count at the end of the paid time or later no longer matters."""
    silent = is_running(subject.rental) and silent_before_end(subject.rental, subject.listing)
    return subject.offline_at if silent else None


def _offline(subject: RentalSubject) -> Split:
    return split(subject.rental, used_until_silence(subject.rental, subject.listing), host_at_fault=True)


def _late_at(subject: RentalSubject) -> int | None:
    """The host may still start in the last second of its time."""
    rental = subject.rental
    return None if is_running(rental) else rental.created_at + rental.provision_timeout + 1


def _unstarted(subject: RentalSubject) -> Split:
    return split(subject.rental, 0, host_at_fault=True)


FINALIZE_RENTAL: Final = ending("finalize_rental", build.finalize_rental, _expired_at, _expired)
REPORT_OFFLINE: Final = ending("report_offline", build.report_offline, _offline_at, _offline)
CANCEL_UNSTARTED: Final = ending("cancel_unstarted", build.cancel_unstarted, _late_at, _unstarted)
