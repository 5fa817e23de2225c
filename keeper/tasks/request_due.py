"""A request that anyone may end now, by a match or because its time is over."""

from __future__ import annotations

from dataclasses import dataclass, field

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, Request


@dataclass(frozen=True, slots=True)
class RequestTask:
    """One way to end a request."""

    name: str


@dataclass(frozen=True, slots=True)
class Machine:
    """The listing that a match takes, the stake accounts that its two sides have, and the price update that its mint
    needs; None where there is none.
    """

    address: Pubkey
    listing: Listing = field(repr=False)
    renter_stake: Pubkey | None = None
    host_stake: Pubkey | None = None
    price_feed: Pubkey | None = None


@dataclass(frozen=True, slots=True)
class RequestDue:
    """A request that is due since `due_at`, unix seconds; `machine` is what it is matched with, if it is."""

    task: RequestTask
    address: Pubkey
    request: Request = field(repr=False)
    due_at: int
    machine: Machine | None = None

    @property
    def tip(self) -> int:
        """Lamports for whoever ends it."""
        return self.request.tip_lamports
