"""The rentals, requests and listings of the chain at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from solders.clock import Clock
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, Rental, Request
from anchor_client.rules.rental import is_finished, owes_renter, still_open
from anchor_client.solana.rpc import Reader


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Open rentals, their listings and open requests by address; `now` is the cluster's clock, unix seconds."""

    now: int
    rentals: Mapping[Pubkey, Rental]
    listings: Mapping[Pubkey, Listing]
    requests: Mapping[Pubkey, Request] = field(default_factory=dict)
    finished: Mapping[Pubkey, Rental] = field(default_factory=dict)
    """Ended rentals with a holdback for their host."""
    lamports: int | None = None
    """Balance of the requested wallet."""


async def read_snapshot(reader: Reader, wallet: Pubkey | None = None) -> Snapshot:
    """Reads the clock first, so that nothing seems due too early. Raises the network's errors."""
    clock, lamports = (await reader.clock(), None) if wallet is None else await reader.clock_and_balance(wallet)
    known = await reader.read_all(Rental)
    held = (each.listing for each in known.values() if not owes_renter(each))
    listings = await reader.read_known(Listing, held)
    return snapshot_of(clock, lamports, known, listings, await reader.read_all(Request))


def snapshot_of(
    clock: Clock,
    lamports: int | None,
    rentals: Mapping[Pubkey, Rental],
    listings: Mapping[Pubkey, Listing],
    requests: Mapping[Pubkey, Request],
) -> Snapshot:
    """Snapshot of these accounts, with open and finished rentals separated; without those that only owe a refund."""
    finished = {address: rental for address, rental in rentals.items() if is_finished(rental)}
    return Snapshot(clock.unix_timestamp, still_open(rentals), listings, requests, finished, lamports)
