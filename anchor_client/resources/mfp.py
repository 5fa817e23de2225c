"""A host's lock against the extra fee."""

from __future__ import annotations

from anchor_client.resources.base import Address, BaseUnits, Resource, about


class MfpLock(Resource):
    """A host's GPU points and lock, base units of the market token."""

    host: Address = about(description="The host's wallet.")
    points: int = about(description="GPU points of its open listings.")
    locked: BaseUnits
    required: BaseUnits = about(description="Lock that reduces the extra fee to zero.")
    unlocking: BaseUnits
    unlock_at: int | None = about(
        description="Time from which that may be withdrawn, unix seconds; null if there is none."
    )
    extra_fee_bps: dict[str, int] = about(description="Remaining extra fee of each mint, by its symbol.")
