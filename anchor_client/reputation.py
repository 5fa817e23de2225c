"""A host's reputation and what it is made of: twin of `programs/gpu_market/src/state/host.rs`.

60 % of the time up, 25 % of the mean rating (1 is none of it, 5 all) and 15 % of the rentals that ended well, in basis
points. Each part and the sum are rounded down; a part without data counts half.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from anchor_client.generated.constants import (
    BPS,
    REPUTATION_COMPLETION_PERCENT,
    REPUTATION_RATING_PERCENT,
    REPUTATION_UPTIME_PERCENT,
)

LOWEST_RATING: Final = 1
HIGHEST_RATING: Final = 5
_WHOLE_PERCENT: Final = 100


@dataclass(frozen=True, slots=True)
class Reputation:
    """What counts for and against a host; ratings are weighed by the micro-USD that the raters had paid."""

    tracked_seconds: int = 0
    up_seconds: int = 0
    rating_sum: int = 0
    rating_weight: int = 0
    completed: int = 0
    failed: int = 0

    @property
    def uptime_bps(self) -> int | None:
        """Share of the watched time that it was up; None until watched."""
        return _share_floor(self.up_seconds, self.tracked_seconds)

    @property
    def rating_bps(self) -> int | None:
        """Where the mean rating stands between 1 and 5; None without ratings."""
        above = self.rating_sum - LOWEST_RATING * self.rating_weight
        return _share_floor(above, (HIGHEST_RATING - LOWEST_RATING) * self.rating_weight)

    @property
    def completion_bps(self) -> int | None:
        """Share of the rentals that did not fail by the host's fault; None before the first has ended."""
        return _share_floor(self.completed, self.completed + self.failed)

    @property
    def score_bps_floor(self) -> int:
        """The score in basis points."""
        parts = (
            (self.uptime_bps, REPUTATION_UPTIME_PERCENT),
            (self.rating_bps, REPUTATION_RATING_PERCENT),
            (self.completion_bps, REPUTATION_COMPLETION_PERCENT),
        )
        return sum((BPS // 2 if share is None else share) * percent for share, percent in parts) // _WHOLE_PERCENT


def _share_floor(part: int, whole: int) -> int | None:
    return part * BPS // whole if whole else None
