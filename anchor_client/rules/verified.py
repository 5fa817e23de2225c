"""When a listing counts as verified. The program has no such rule: it follows from what renters paid for and reported.

Since its host last said what the machine is, and since a report of `not-as-listed` that weighs, renters who paid
themselves and have not reported it, with weight or without, have had it for VERIFIED_SECONDS in all. A host can rent
from themselves, for the market's fee on that hour.
"""

from __future__ import annotations

from typing import Final, Protocol

VERIFIED_SECONDS: Final = 3_600


class EndedRental(Protocol):
    """Fields of an ended rental by which it counts for a listing."""

    @property
    def spec_version(self) -> int: ...
    @property
    def used(self) -> int: ...
    @property
    def charged(self) -> int: ...
    @property
    def paid_usd(self) -> int: ...
    @property
    def doubted(self) -> bool: ...


def proven_seconds(rental: EndedRental, spec_version: int) -> int:
    """Seconds of a rental that speak for a listing whose machine is of version `spec_version`: those that its renter
    had and paid for, unless they have reported it."""
    if rental.spec_version != spec_version or rental.doubted or rental.paid_usd == 0:
        return 0
    return min(rental.used, rental.charged)


def is_verified(proven: int) -> bool:
    """True where a listing counts as verified with `proven` seconds that speak for it."""
    return proven >= VERIFIED_SECONDS
