"""A host, with the inputs of its reputation."""

from __future__ import annotations

from typing import Protocol

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Host as Account
from anchor_client.resources.base import Address, BaseUnits, PublicKey, Resource, about
from anchor_client.resources.listing import mean_rating
from anchor_client.rules.host import Reputation, refusal_bps_floor, score_of


class Counters(Protocol):
    """Counters of a host's reputation, shared by its account, its row and a score."""

    @property
    def tracked_seconds(self) -> int: ...
    @property
    def up_seconds(self) -> int: ...
    @property
    def rating_sum(self) -> int: ...
    @property
    def rating_weight(self) -> int: ...
    @property
    def completed(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def paid_usd(self) -> int: ...
    @property
    def not_as_listed_usd(self) -> int: ...


class ScoreInputs(Resource):
    """Inputs of a score, in basis points. A null share counts as half.

    Each part is (share x W + P / 2) / (W + R + P), rounded down: W is `rating_weight_usd` for the ratings, else
    `paid_usd`, R is `not_as_listed_usd` for the completed rentals, else nothing, and P is `prior_usd`.
    """

    score_bps: int = about(description="The score from these inputs.")
    paid_usd: int = about(description="Micro-USD that renters have paid themselves, subsidies not included.")
    prior_usd: int = about(description="Micro-USD weight of one half in each part: a parameter of the market.")
    tracked_seconds: int = about(description="Seconds tracked, over all machines: while visible or rented.")
    up_seconds: int = about(description="Tracked seconds that count as up.")
    uptime_bps: int | None = about(description="Share of tracked seconds that count as up; null until tracked.")
    uptime_part_bps: int = about(description="60 % of the score.")
    rating: str | None = about(description="Mean rating, 1 to 5, weighted by what the renters had paid.")
    rating_weight_usd: int = about(description="Micro-USD that the raters had paid.")
    rating_bps: int | None = about(description="Position of the mean between 1 and 5; null without ratings.")
    rating_part_bps: int = about(description="25 % of the score.")
    rentals_completed: int
    rentals_failed: int = about(description="Rentals that failed through the host's fault.")
    completion_bps: int | None = about(description="Share of completed rentals; null before the first end.")
    not_as_listed_usd: int = about(
        description="Micro-USD weight of not-as-listed reports and contests: what those renters had paid."
    )
    completion_part_bps: int = about(description="15 % of the score.")

    @classmethod
    def of(cls, counted: Counters, prior_usd: int) -> ScoreInputs:
        """The inputs from counters and a prior, in micro-USD."""
        reputation = Reputation(
            prior_usd=prior_usd,
            paid_usd=counted.paid_usd,
            tracked_seconds=counted.tracked_seconds,
            up_seconds=counted.up_seconds,
            rating_sum=counted.rating_sum,
            rating_weight=counted.rating_weight,
            completed=counted.completed,
            failed=counted.failed,
            not_as_listed_usd=counted.not_as_listed_usd,
        )
        return cls.drawn_from(
            reputation,
            score_bps=reputation.score_bps_floor,
            rating=mean_rating(counted.rating_sum, counted.rating_weight),
            rating_weight_usd=counted.rating_weight,
            rentals_completed=counted.completed,
            rentals_failed=counted.failed,
        )


class Host(Resource):
    """A host of machines. Times are unix seconds."""

    id: Address = about(description="Address of the host's account.")
    authority: Address = about(description="The host's wallet.")
    seal_key: PublicKey = about(description="The key that orders are sealed to: X25519, in hex.")
    approved: bool
    registered_at: int
    open_listings: int
    score_bps: int | None = about(description="Reputation in basis points; null until first scored.")
    scored_at: int | None
    score_inputs: ScoreInputs | None = about(
        default=None, description="The inputs of that score; only the index keeps them."
    )
    orders_refused: int = about(
        description="Orders refused before the start; they count neither for nor against the host."
    )
    refusal_bps: int | None = about(
        description="Share of refused orders among refused, failed and completed ones; null before the first."
    )
    subsidy_budget: BaseUnits = about(
        description="Maximum subsidy that orders of its machines may draw in a UTC day, base units of the market token."
    )
    subsidy_booked: BaseUnits = about(description="Subsidy drawn on `subsidy_day`.")
    subsidy_day: int = about(description="Days since 1970-01-01.")
    start_seconds: int | None = about(
        default=None,
        description="Median seconds from getting the machine to the start, over its last 20 started rentals; null "
        "without any. Only the index counts it.",
    )
    credit_seconds: int | None = about(
        default=None, description="The same from getting the machine, when it is paid for, to the host's first payment."
    )
    counted: ScoreInputs = about(description="The current counters; the next score includes them.")

    @classmethod
    def of_account(cls, address: Pubkey, host: Account, prior_usd: int) -> Host:
        """A host from its account, under the market's prior."""
        return cls.drawn_from(
            host,
            id=address,
            approved=host.approved != 0,
            score_bps=score_of(host),
            scored_at=host.scored_at or None,
            orders_refused=host.refused,
            refusal_bps=refusal_bps_floor(host),
            counted=ScoreInputs.of(host, prior_usd),
        )
