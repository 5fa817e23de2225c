"""Subsidy of an order from the pool, and its bounds: twin of `programs/gpu_market/src/state/subsidy.rs`.

Amounts are base units of the market token, rates base units per hour, `*_usd` micro-USD.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from anchor_client.errors import refusal
from anchor_client.generated.constants import SECONDS_PER_HOUR
from anchor_client.generated.errors import SubsidyBudgetSpent, SubsidyHoursSpent, SubsidyShareSpent
from anchor_client.rules.math import U64_MAX, accrued_ceil, mul_div_floor, share_floor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solders.pubkey import Pubkey

    from anchor_client.generated.accounts import Host, Listing, Market, Rental, Vault

SECONDS_PER_DAY: Final = 86_400


class SubsidizedMachine(Protocol):
    """Fields of a listing's account and row that give the machine's reference price."""

    @property
    def gpu_count(self) -> int: ...
    @property
    def reference_usd(self) -> int: ...


class DailyBudget(Protocol):
    """Fields of a host's account and row that give its subsidy budget."""

    @property
    def subsidy_budget(self) -> int: ...
    @property
    def subsidy_booked(self) -> int: ...
    @property
    def subsidy_day(self) -> int: ...


class DailyShare(Protocol):
    """Fields of a vault's account and row that give what its pool may still give."""

    @property
    def subsidy_pool(self) -> int: ...
    @property
    def subsidy_drawn(self) -> int: ...
    @property
    def subsidy_day(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Cover:
    """Bounds of an order's subsidy apart from the mint's share: the machine's reference price, and what is left today
    of its host's budget and of its vault's share."""

    reference_usd: int
    """Per machine-hour."""
    left: int = U64_MAX

    @classmethod
    def of(cls, listing: Listing, host: Host, now: int) -> Cover:
        """Bounds for an order of `listing` at `now`."""
        return cls(machine_reference_usd(listing), subsidy_left(host, now))

    def after(self, rental: Rental, now: int) -> Cover:
        """The same once an order that waits has ended: the budget of today has back what it has drawn on it."""
        returned = accrued_ceil(rental.subsidy_rate, rental.duration) if rental.subsidy_day == day(now) else 0
        return replace(self, left=self.left + returned)

    def within(self, vault: Vault, market: Market, now: int) -> Cover:
        """The same for an order whose subsidy comes out of this vault's pool."""
        return replace(self, left=min(self.left, pool_left(vault, market, now)))


def machine_reference_usd(listing: SubsidizedMachine) -> int:
    """Micro-USD per machine-hour up to which a listing's price is subsidised."""
    return listing.reference_usd * listing.gpu_count


def subsidy_floor(subsidy_bps: int, reference_usd: int, usd: int, price: int) -> int:
    """Subsidy per hour of an order whose price is `usd` micro-USD per machine-hour, `price` in base units: the pool's
    share of the price up to the machine's reference price, rounded down."""
    covered = mul_div_floor(price, reference_usd, usd) if usd > reference_usd else price
    return share_floor(covered, subsidy_bps)


def spread_floor(rate: int, seconds: int, market: Market, left: int) -> int:
    """The one rate at which `seconds` draw no more than `rate` draws in the hours that are subsidised, nor more than
    `left`: `rate` itself, or a lower one, rounded down."""
    most = min(accrued_ceil(rate, min(seconds, subsidised_seconds(market))), left)
    if accrued_ceil(rate, seconds) <= most:
        return rate
    return mul_div_floor(most, SECONDS_PER_HOUR, seconds)


def subsidised_seconds(market: Market) -> int:
    """Seconds of a rental whose whole price may be subsidised."""
    return market.subsidy_max_hours * SECONDS_PER_HOUR


def day(at: int) -> int:
    """The UTC day of a moment, by its number since 1970."""
    return at // SECONDS_PER_DAY


def subsidy_left(host: DailyBudget, now: int) -> int:
    """Subsidy that an order at `now` may still draw from its host's daily budget."""
    booked = host.subsidy_booked if host.subsidy_day == day(now) else 0
    return max(host.subsidy_budget - booked, 0)


def host_to_end(rental: Rental, listing: Listing) -> Pubkey | None:
    """The host that whatever ends the rental takes along, None where it has no subsidy: its budget of today has back
    what was drawn on it and not earned."""
    return listing.host if rental.subsidy_rate > 0 else None


def pool_left(vault: DailyShare, market: Market, now: int) -> int:
    """Subsidy that may leave a vault's pool at `now`: the market's share, rounded down, of what the day began with,
    less what has left it that day and not returned."""
    drawn = vault.subsidy_drawn if vault.subsidy_day == day(now) else 0
    return max(share_floor(vault.subsidy_pool + drawn, market.subsidy_daily_bps) - drawn, 0)


def pool_after(vault: Vault, rental: Rental, now: int) -> Vault:
    """The vault once an order that waits has ended: its pool has the whole subsidy back, if it holds the escrow."""
    if (vault.mint, vault.shard) != (rental.mint, rental.shard):
        return vault
    returned = accrued_ceil(rental.subsidy_rate, rental.duration)
    drawn = max(vault.subsidy_drawn - returned, 0) if vault.subsidy_day == day(now) else vault.subsidy_drawn
    return replace(vault, subsidy_pool=vault.subsidy_pool + returned, subsidy_drawn=drawn)


def most_pool_left(vaults: Iterable[DailyShare], market: Market, now: int) -> int:
    """The most that any of these vaults may give an order at `now`, which goes to the one that gives it most."""
    return max((pool_left(vault, market, now) for vault in vaults), default=0)


def day_end(now: int) -> int:
    """The moment at which budgets and shares of the day of `now` are whole again."""
    return (day(now) + 1) * SECONDS_PER_DAY


def require_subsidised_for(rental: Rental, market: Market, seconds: int) -> None:
    """Requires that a rental of `seconds` by now draws no more than its hours allow. SubsidyHoursSpent."""
    if rental.subsidy_rate > 0 and seconds > subsidised_seconds(market):
        raise refusal(SubsidyHoursSpent.code, f"it is subsidised for {market.subsidy_max_hours} h at most")


def require_budget(rental: Rental, listing: Listing, cover: Cover, seconds: int, now: int) -> None:
    """Requires that the host's budget covers the extension of a running rental to `seconds`: on another day than it was
    last drawn on, all that may still be returned, which is what it had not used when its host was last heard from.
    SubsidyBudgetSpent."""
    used = min(max(min(listing.last_heartbeat_at, now) - rental.started_at, 0), rental.duration)
    paid = rental.duration if rental.subsidy_day == day(now) else max(used, rental.settled)
    drawn = accrued_ceil(rental.subsidy_rate, seconds) - accrued_ceil(rental.subsidy_rate, paid)
    if drawn > cover.left:
        raise refusal(SubsidyBudgetSpent.code)


def require_share(rental: Rental, vault: Vault, market: Market, seconds: int, now: int) -> None:
    """Requires that the vault's share of the day covers the extension of a rental to `seconds`. SubsidyShareSpent."""
    added = accrued_ceil(rental.subsidy_rate, seconds) - accrued_ceil(rental.subsidy_rate, rental.duration)
    if added > pool_left(vault, market, now):
        raise refusal(SubsidyShareSpent.code)
