"""Requests: matched with a machine, or refunded if none was found in time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, Request
from anchor_client.generated.instructions import expire_request, match_request
from anchor_client.payment_tokens import payout_bump
from keeper.tasks.task import Parties, Payee, Subject, Task, TaskAccounts

CONSIDER_SECONDS: Final = 10
"""Maximum time between checks of an open request."""


@dataclass(frozen=True, slots=True)
class MatchedMachine:
    """The listing that a match takes, and the price update that its mint needs; None where it needs none."""

    address: Pubkey
    listing: Listing = field(repr=False)
    price_feed: Pubkey | None = None


@dataclass(frozen=True, slots=True)
class RequestSubject(Subject):
    """An open request, with the machine that it is to be matched with, if there is one."""

    request: Request = field(repr=False)
    machine: MatchedMachine | None = None

    @property
    def tip(self) -> int:
        return self.request.tip_lamports

    @property
    def batch_key(self) -> bytes:
        return bytes(self.request.mint) + self.request.shard.to_bytes(1)

    @property
    def max_retry_seconds(self) -> float:
        return CONSIDER_SECONDS


def _refund(subject: RequestSubject) -> Parties:
    return Parties(renter=Payee(subject.request.renter, subject.request.mint))


def _expire(subject: RequestSubject, accounts: TaskAccounts) -> list[Instruction]:
    return [
        expire_request(
            caller=accounts.caller,
            request=subject.address,
            request_data=subject.request,
            renter_payout=accounts.renter_payout,
            program_id=accounts.program_id,
        )
    ]


def _match(subject: RequestSubject, accounts: TaskAccounts) -> list[Instruction]:
    machine = subject.machine
    if machine is None:
        return []
    return [
        match_request(
            caller=accounts.caller,
            request=subject.address,
            request_data=subject.request,
            listing=machine.address,
            listing_data=machine.listing,
            spec_version=machine.listing.spec_version,
            payout_bump=payout_bump(subject.request.renter, subject.request.mint),
            renter_payout=accounts.renter_payout,
            price_feed=machine.price_feed,
            program_id=accounts.program_id,
        )
    ]


def _matched_at(subject: RequestSubject) -> int | None:
    return None if subject.machine is None else subject.request.created_at


EXPIRE_REQUEST: Final[Task[RequestSubject]] = Task(
    "expire_request", lambda subject: subject.request.expires_at, _expire, _refund, pays_tip=True
)
MATCH_REQUEST: Final[Task[RequestSubject]] = Task(
    "match_request", _matched_at, _match, _refund, pays_tip=True, pays_later=True
)
