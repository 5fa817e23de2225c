"""A machine's holder and challenger, and the bid that gets in."""

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
    spot_min_usd: int = about(description="Least bid of all, micro-USD an hour; 0 takes no spot.")
    on_demand_usd: int = about(description="An order at this price displaces any spot holder.")
    holder: SpotPlace | None
    challenger: SpotPlace | None
    preempt_at: int | None = about(description="When the challenger may take over.")
    minimum_bid_usd: int | None = about(description="Least bid that gets in now; null when none does.")
