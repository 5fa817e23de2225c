"""A wallet's stake, rewards, votes and discount: twin of `programs/gpu_market/src/state/stake_account.rs`.

Amounts are base units, times unix seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from anchor_client.errors import refusal
from anchor_client.generated.constants import HOLDING_TOKENS, MAX_HOLDING_DISCOUNT_BPS
from anchor_client.generated.errors import DiscountSpent
from anchor_client.rules.math import U64_MAX, mul_div_floor
from anchor_client.rules.stake_pool import STREAMS, earned_floor, from_words

if TYPE_CHECKING:
    from anchor_client.generated.accounts import Market, Rental, StakeAccount, StakePool


WARM_UPS: Final = 4
"""Warm-ups of a wallet's stake that the program knows by their time."""


@dataclass(frozen=True, slots=True)
class PresentStake:
    """A wallet's present stake. `owed` may be claimed of each stream; `coming` is the payment of the running epoch, at
    its end, on the active stake, if it stays."""

    active: int = 0
    warming: int = 0
    cooling: int = 0
    warm_at: int = 0
    cool_at: int = 0
    voting_until: int = 0
    owed: tuple[int, ...] = (0,) * STREAMS
    coming: tuple[int, ...] = (0,) * STREAMS

    def withdrawable(self, now: int) -> int:
        """Base units that have cooled down at `now`."""
        return self.cooling if now >= self.cool_at else 0


def holding(account: StakeAccount, pool: StakePool) -> PresentStake:
    """A stake account against an up-to-date pool: what settling it now would give."""
    warm = account.warming if account.warm_at <= pool.epoch_started_at else 0
    active = account.active + warm
    owed = []
    coming = []
    for number, stream in enumerate(pool.rewards):
        acc = from_words(stream.acc)
        end = from_words(stream.next_acc)
        earned = earned_floor(account.active, from_words(account.checkpoints[number]), acc)
        earned_warm = earned_floor(warm, from_words(account.warm_checkpoints[number]), acc)
        owed.append(min(account.owed[number] + earned + earned_warm, U64_MAX))
        coming.append(earned_floor(active, acc, end))
    return PresentStake(
        active=active,
        warming=account.warming - warm,
        cooling=account.cooling,
        warm_at=account.warm_at,
        cool_at=account.cool_at,
        voting_until=account.voting_until,
        owed=tuple(owed),
        coming=tuple(coming),
    )


def active_at(account: StakeAccount | None, now: int) -> int:
    """Base units that count at `now`: for fees, quotas, priority and votes; none without an account."""
    if account is None:
        return 0
    return account.active + (account.warming if now >= account.warm_at else 0)


def votes_since(account: StakeAccount, opened_at: int) -> int:
    """Base units that count now and have counted since a proposal opened: the weight of a vote on it."""
    later = sum(each.amount for each in account.warm_ups if each.at > opened_at)
    return max(0, active_at(account, opened_at) - later)


def holding_discount_bps_floor(stake: int, decimals: int) -> int:
    """Proof of Holding's discount on a fee: linear in the active stake, up to half at two million tokens; rounded
    down."""
    whole = HOLDING_TOKENS * 10**decimals
    return mul_div_floor(min(stake, whole), MAX_HOLDING_DISCOUNT_BPS, whole)


def spread_discount_bps_floor(bps: int, seconds: int, market: Market) -> int:
    """The one discount that takes no more off `seconds` than `bps` takes off one cool-down, rounded down."""
    return mul_div_floor(bps, min(seconds, market.epoch_seconds), seconds)


def require_discounted_for(rental: Rental, market: Market, seconds: int) -> None:
    """Requires that a rental with a discount, of `seconds` by now, is no longer than one cool-down. DiscountSpent."""
    if rental.has_discount and seconds > market.epoch_seconds:
        raise refusal(DiscountSpent.code, f"its discount is for {market.epoch_seconds} s at most")
