"""A host's reputation and extra fee: twin of `programs/gpu_market/src/state/host.rs`.

The score is 60 % uptime, 25 % the mean rating (a rating of 1 counts nothing, 5 all) and 15 % the share of rentals that
ended well, in basis points. Each part is (share x W + P / 2) / (W + R + P): W is the micro-USD that renters have paid
themselves, for the ratings those who rated, and P the market's prior. R is for the rentals alone: the micro-USD that
reports of machines that were not as listed weigh. Shares, parts and the sum are rounded down; a share without data is
half.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from anchor_client.generated.constants import (
    BPS,
    REPUTATION_COMPLETION_PERCENT,
    REPUTATION_RATING_PERCENT,
    REPUTATION_UPTIME_PERCENT,
)
from anchor_client.rules.math import mul_div_ceil

if TYPE_CHECKING:
    from anchor_client.generated.accounts import Host, Listing

LOWEST_RATING: Final = 1
HIGHEST_RATING: Final = 5
_WHOLE_PERCENT: Final = 100
UNSCORED_BPS: Final = BPS // 2
"""Value of a share without data, and rank of a host without a score."""
ROUNDS: Final = 2**32


@dataclass(frozen=True, slots=True)
class Reputation:
    """Figures for and against a host; ratings are weighted by the micro-USD that the raters had paid."""

    prior_usd: int
    """Weight of the prior, which is one half, in each part, micro-USD."""
    paid_usd: int = 0
    """Micro-USD that renters have paid themselves, subsidies not included."""
    tracked_seconds: int = 0
    up_seconds: int = 0
    rating_sum: int = 0
    rating_weight: int = 0
    completed: int = 0
    failed: int = 0
    not_as_listed_usd: int = 0
    """Weight of reports of machines that were not as listed, micro-USD."""

    @property
    def uptime_bps(self) -> int | None:
        """Share of the time on offer or rented that it was up; None until tracked."""
        return _share_floor(self.up_seconds, self.tracked_seconds)

    @property
    def rating_bps(self) -> int | None:
        """Position of the mean rating between 1 and 5; None without ratings."""
        above = self.rating_sum - LOWEST_RATING * self.rating_weight
        return _share_floor(above, (HIGHEST_RATING - LOWEST_RATING) * self.rating_weight)

    @property
    def completion_bps(self) -> int | None:
        """Share of the rentals that did not fail by the host's fault; None before the first has ended."""
        return _share_floor(self.completed, self.completed + self.failed)

    @property
    def uptime_part_bps(self) -> int:
        """Part of the score for the uptime, rounded down."""
        return self._part_floor(self.uptime_bps, self.paid_usd)

    @property
    def rating_part_bps(self) -> int:
        """Part of the score for the ratings, rounded down."""
        return self._part_floor(self.rating_bps, self.rating_weight)

    @property
    def completion_part_bps(self) -> int:
        """Part of the score for completed rentals, rounded down; reports of machines not as listed weigh against it."""
        return self._part_floor(self.completion_bps, self.paid_usd, self.not_as_listed_usd)

    @property
    def score_bps_floor(self) -> int:
        """The score in basis points."""
        parts = (
            (self.uptime_part_bps, REPUTATION_UPTIME_PERCENT),
            (self.rating_part_bps, REPUTATION_RATING_PERCENT),
            (self.completion_part_bps, REPUTATION_COMPLETION_PERCENT),
        )
        return sum(part * percent for part, percent in parts) // _WHOLE_PERCENT

    def _part_floor(self, share: int | None, paid_usd: int, against_usd: int = 0) -> int:
        known = UNSCORED_BPS if share is None else share
        return (known * paid_usd + UNSCORED_BPS * self.prior_usd) // (paid_usd + against_usd + self.prior_usd)


def _share_floor(part: int, whole: int) -> int | None:
    return part * BPS // whole if whole else None


class EndedCounts(Protocol):
    """Counts of a host's rentals by how they ended: its account and its row have these."""

    @property
    def completed(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def refused(self) -> int: ...


def refusal_bps_floor(host: EndedCounts) -> int | None:
    """Share of the orders that the host refused in those it refused, failed or completed; None before the first."""
    return _share_floor(host.refused, host.completed + host.failed + host.refused)


class WaitingCounts(NamedTuple):
    """Listings' counts since their host's last score: the next one moves them to the host. Time is counted at once."""

    completed: int = 0
    failed: int = 0
    refused: int = 0
    paid_usd: int = 0
    rating_sum: int = 0
    rating_weight: int = 0

    @classmethod
    def of(cls, listings: Iterable[Listing]) -> WaitingCounts:
        """Their sums."""
        known = list(listings)
        return cls(*(sum(getattr(each, name) for each in known) for name in cls._fields))

    def added_to(self, host: Host) -> Host:
        """The host as it will be once they are counted."""
        return replace(host, **{name: getattr(host, name) + count for name, count in self._asdict().items()})


def awaits(host: Host, listing: Listing) -> bool:
    """True where the host's next score still waits for a listing: for all that were open when its first was counted."""
    is_in_round = host.round_end == 0 or listing.id < host.round_end
    return is_in_round and listing.score_round != (host.score_round + 1) % ROUNDS


def score_of(host: Host) -> int | None:
    """A host's reputation in basis points; None until it has first been scored."""
    return host.score if host.scored_at else None


def rank_of(score: int | None) -> int:
    """Rank of a machine by its host's score, for orders in which reputation counts: higher is better."""
    return UNSCORED_BPS if score is None else score


def extra_fee_bps_ceil(extra_fee_bps: int, *, points: int, mfp_locked: int, mfp_per_point: int) -> int:
    """A host's extra fee on other mints: it falls linearly with the tokens locked per GPU point, rounded up.

    Nothing can be locked for a listing without points: pass 0, and it is the whole fee.
    """
    required = points * mfp_per_point
    if extra_fee_bps == 0 or points == 0:
        return extra_fee_bps
    missing = max(required - mfp_locked, 0)
    return mul_div_ceil(extra_fee_bps, missing, required) if missing else 0
