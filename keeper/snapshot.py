"""The rentals, requests and listings of the chain at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, Rental, Request
from anchor_client.rpc import Reader
from anchor_client.rules.rental import still_open


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Open rentals, their listings and open requests by address; `now` is the cluster's clock, unix seconds."""

    now: int
    rentals: Mapping[Pubkey, Rental]
    listings: Mapping[Pubkey, Listing]
    requests: Mapping[Pubkey, Request] = field(default_factory=dict)


async def read_snapshot(reader: Reader) -> Snapshot:
    """Reads the clock first, so that nothing seems due too early. Raises the network's errors."""
    now = await reader.now()
    rentals = still_open(await reader.read_all(Rental))
    listings = await reader.read_known(Listing, (rental.listing for rental in rentals.values()))
    return Snapshot(now, rentals, listings, await reader.read_all(Request))
