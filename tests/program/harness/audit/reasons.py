"""Reasons for which a rental ends, by what follows from them."""

from __future__ import annotations

from anchor_client.generated.types.close_reason import CloseReason

REFUSALS = frozenset(reason for reason in CloseReason if reason.name.startswith("ORDER_"))
GIVEN_BY_HOST = frozenset({CloseReason.HOST_FAULT, CloseReason.HOST_MAINTENANCE}) | REFUSALS
"""Reasons of a host that gives up."""
NO_TIP = GIVEN_BY_HOST | {CloseReason.OUTBID, CloseReason.FINISHED}
"""Reasons for which whoever ends the rental gets no tip."""
BY_HOST = GIVEN_BY_HOST | {CloseReason.FINISHED}
"""Reasons of rentals that ended by an act of the host's."""
FAULTS = (GIVEN_BY_HOST - REFUSALS) | {CloseReason.PROVISION_TIMEOUT, CloseReason.HOST_OFFLINE}
"""Reasons for which the holdback goes to the renter."""
SIGNATURE_LAMPORTS = 5_000


def tip_of(reason: CloseReason, tip: int, *, owes_matcher: bool) -> int:
    """Lamports for whoever ends a rental: of a match that never started what their transaction costs, and no more."""
    if reason in NO_TIP:
        return 0
    return min(tip, SIGNATURE_LAMPORTS) if owes_matcher and reason is CloseReason.PROVISION_TIMEOUT else tip
