"""The rentals, requests and listings of the chain at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, Rental, Request
from anchor_client.rpc import Reader
from anchor_client.rules.rental import is_finished, still_open


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Open rentals, their listings and open requests by address; `now` is the cluster's clock, unix seconds."""

    now: int
    rentals: Mapping[Pubkey, Rental]
    listings: Mapping[Pubkey, Listing]
    requests: Mapping[Pubkey, Request] = field(default_factory=dict)
    finished: Mapping[Pubkey, Rental] = field(default_factory=dict)
    """Rentals that have ended and hold something back for their host."""
    lamports: int | None = None
    """Of the wallet that was asked for."""


async def read_snapshot(reader: Reader, wallet: Pubkey | None = None) -> Snapshot:
    """Reads the clock first, so that nothing seems due too early. Raises the network's errors."""
    clock, lamports = (await reader.clock(), None) if wallet is None else await reader.clock_and_balance(wallet)
    known = await reader.read_all(Rental)
    rentals = still_open(known)
    finished = {address: rental for address, rental in known.items() if is_finished(rental)}
    listings = await reader.read_known(Listing, (each.listing for each in (*rentals.values(), *finished.values())))
    requests = await reader.read_all(Request)
    return Snapshot(clock.unix_timestamp, rentals, listings, requests, finished, lamports)
