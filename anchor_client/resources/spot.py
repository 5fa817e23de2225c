"""A machine's holder, its challenger, and the lowest winning bid."""

from __future__ import annotations

from anchor_client.kinds import JobState
from anchor_client.resources.base import Address, Kind, Resource, about


class SpotPlace(Resource):
    """A rental that holds the machine or waits for it."""

    job: Address
    renter: Address
    kind: Kind
    rate_usd: int = about(description="Micro-USD per machine-hour.")
    status: JobState


class SpotBook(Resource):
    """A machine's spot book."""

    listing: Address
    spot_min_usd: int = about(description="The listing's minimum bid, micro-USD per hour; 0 for no spot.")
    on_demand_usd: int = about(description="An order at this price displaces any spot holder.")
    holder: SpotPlace | None
    challenger: SpotPlace | None
    preempt_at: int | None = about(description="Time from which the challenger may take over.")
    minimum_bid_usd: int | None = about(description="Lowest winning bid now; null if none can win.")
