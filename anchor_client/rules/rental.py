"""A rental's money and time: twin of `programs/gpu_market/src/state/rental.rs`.

Amounts are base units of the payment mint, rates base units per hour, times unix seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from solders.pubkey import Pubkey

from anchor_client.errors import refusal
from anchor_client.generated.constants import BPS, SIGNATURE_LAMPORTS
from anchor_client.generated.errors import RentalRepriced
from anchor_client.generated.types import CloseReason
from anchor_client.generated.types import RentalState as State
from anchor_client.rules.listing import Heard, is_silent, overdue_at
from anchor_client.rules.math import (
    accrued_ceil,
    accrued_floor,
    mul_div_ceil,
    mul_div_floor,
    share_floor,
    u64,
    usd_to_base_units_ceil,
)
from anchor_client.rules.subsidy import machine_reference_usd, subsidy_floor

if TYPE_CHECKING:
    from anchor_client.generated.accounts import Listing, PaymentMint, Rental

RESERVED_TERMS: Final = (604_800, 2_592_000, 7_776_000)
"""Seconds a reserved rental may run: 7, 30 and 90 days."""

HOST_FAULTS: Final = frozenset(
    {
        CloseReason.PROVISION_TIMEOUT,
        CloseReason.HOST_OFFLINE,
        CloseReason.HOST_FAULT,
        CloseReason.HOST_MAINTENANCE,
    }
)
"""Reasons for which the holdback goes to the renter."""

REFUSALS: Final = frozenset(
    {
        CloseReason.ORDER_REFUSED,
        CloseReason.ORDER_UNDELIVERED,
        CloseReason.ORDER_UNREADABLE,
        CloseReason.ORDER_UNRUNNABLE,
    }
)
"""Reasons for which a host refuses an order before the start; they count neither for nor against it."""


class EscrowTerms(Protocol):
    """Terms by which an escrow is divided: those of a rental, or of the index's row of one."""

    @property
    def rate(self) -> int: ...
    @property
    def subsidy_rate(self) -> int: ...
    @property
    def burn_rate(self) -> int: ...
    @property
    def fee_rate(self) -> int: ...
    @property
    def deposit(self) -> int: ...
    @property
    def duration(self) -> int: ...
    @property
    def settled(self) -> int: ...
    @property
    def started_at(self) -> int: ...
    @property
    def min_charge(self) -> int: ...
    @property
    def not_as_listed(self) -> int | bool: ...
    @property
    def took_over(self) -> int | bool: ...
    @property
    def discount_bps(self) -> int: ...
    @property
    def holdback_bps(self) -> int: ...
    @property
    def holdback_window(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Fees:
    """Fees that the market takes from an order, in basis points of the price.

    Half of `bps` is added to the price; the other half and `extra_bps` come out of the host's payout. Each half of
    `bps` is reduced by a discount.
    """

    bps: int
    extra_bps: int = 0
    renter_discount_bps: int = 0
    host_discount_bps: int = 0

    def of_renter_ceil(self, price: int) -> int:
        """The renter's fee on `price`, rounded up."""
        return _discounted_ceil(price, self.bps // 2, self.renter_discount_bps)

    @property
    def of_renter_bps_floor(self) -> int:
        """The renter's fee as a share of the price, rounded down."""
        return mul_div_floor(self.bps // 2, BPS - self.renter_discount_bps, BPS)

    def of_host_ceil(self, price: int) -> int:
        """The host's fee on `price`, rounded up."""
        half = self.bps - self.bps // 2
        return _discounted_ceil(price, half, self.host_discount_bps, self.extra_bps)


def _discounted_ceil(price: int, bps: int, discount_bps: int, extra_bps: int = 0) -> int:
    return mul_div_ceil(price, bps * (BPS - discount_bps) + extra_bps * BPS, BPS * BPS)


@dataclass(frozen=True, slots=True)
class Rates:
    """Per-hour rates of an order: `rate + subsidy = host + fee + burn`."""

    rate: int
    """Rate that the renter pays, fees and burn included."""
    subsidy: int
    burn: int
    fee: int

    @property
    def host(self) -> int:
        """Rate that the host earns."""
        return self.rate + self.subsidy - self.burn - self.fee

    @classmethod
    def at(cls, price: int, fees: Fees, *, subsidy: int, burn_bps: int) -> Rates:
        """Rates at a market price of `price` base units per hour, `subsidy` of which the pool adds; `burn_bps` of all
        that the renter pays is burned."""
        renter_fee = fees.of_renter_ceil(price)
        host_fee = fees.of_host_ceil(price)
        unburned = u64(price + renter_fee - subsidy)
        rate = mul_div_ceil(unburned, BPS, BPS - burn_bps)
        return cls(rate=rate, subsidy=subsidy, burn=rate - unburned, fee=renter_fee + host_fee)


@dataclass(frozen=True, slots=True)
class Split:
    """Division of an escrow when its rental ends; `paid` is what the host gets on top of settlements."""

    paid: int
    fees: int
    burned: int
    refunded: int
    subsidy_returned: int


def earned_floor(rental: EscrowTerms, seconds: int) -> int:
    """The host's earnings in `seconds`, holdback included, rounded down."""
    return accrued_floor(rental.rate + rental.subsidy_rate - rental.burn_rate - rental.fee_rate, seconds)


def payable_floor(rental: EscrowTerms, seconds: int) -> int:
    """Amount payable to the host for `seconds` while the rental runs, rounded down: earnings less the holdback on the
    last window of them."""
    safe = earned_floor(rental, max(seconds - rental.holdback_window, 0))
    return safe + mul_div_floor(earned_floor(rental, seconds) - safe, BPS - rental.holdback_bps, BPS)


def charged(rental: Rental, reason: CloseReason, used: int, now: int) -> int:
    """Seconds that the renter pays for when the rental ends for `reason` at `now`, after `used` seconds of paid time.

    Once it runs no fewer than the least charge, unless the host ended it or failed, or the renter has reported with
    weight that the machine is not as listed; before that as long as the host has been preparing, and no more than the
    least charge. An order that has waited for the machine pays all of it, also if it is displaced before the start, and
    whatever its renter reports, unless the host is late. Whoever stops a
    reserved rental early gives its discount back, in seconds at the discounted rates, rounded up.
    """
    if reason is CloseReason.WITHDRAWN:
        return _charged_before_start(rental, now)
    if reason is CloseReason.STOPPED:
        return _charged_if_stopped(rental, used)
    if reason is CloseReason.PREEMPTED and (is_running(rental) or _is_in_turn(rental, now)):
        return max(used, least_charge(rental))
    return used


def _charged_before_start(rental: Rental, now: int) -> int:
    if _is_in_turn(rental, now):
        return rental.min_charge
    return min(_prepared_at(rental, now), rental.min_charge)


def _is_in_turn(rental: Rental, now: int) -> bool:
    return bool(rental.took_over) and now <= rental.created_at + rental.provision_timeout


def least_charge(rental: EscrowTerms) -> int:
    """Least seconds that are paid for once it has started: none where the machine is not as listed and was not waited
    for."""
    if rental.not_as_listed and not rental.took_over:
        return 0
    return rental.min_charge


def _charged_if_stopped(rental: EscrowTerms, used: int) -> int:
    return min(mul_div_ceil(max(used, least_charge(rental)), BPS, BPS - rental.discount_bps), rental.duration)


def _prepared_at(rental: Rental, now: int) -> int:
    if rental.state != State.PROVISIONING or now > rental.created_at + rental.promise:
        return 0
    return max(now - rental.created_at - rental.accepted_after, 0)


def split(rental: EscrowTerms, charged: int, *, host_at_fault: bool) -> Split:
    """Divides what is left when `charged` seconds are paid for. When the host is at fault the holdback goes to the
    renter.
    """
    spent = accrued_ceil(rental.rate, charged)
    subsidy = accrued_ceil(rental.subsidy_rate, charged)
    burned = accrued_floor(rental.burn_rate, charged)
    earned = earned_floor(rental, charged)
    payable = payable_floor(rental, charged) if host_at_fault else earned
    return Split(
        paid=payable - payable_floor(rental, rental.settled),
        fees=spent + subsidy - burned - earned,
        burned=burned,
        refunded=rental.deposit - spent + earned - payable,
        subsidy_returned=accrued_ceil(rental.subsidy_rate, rental.duration) - subsidy,
    )


@dataclass(frozen=True, slots=True)
class StopOutcome:
    """Outcome of stopping a running rental: `charged` seconds are paid for, `shares` is the division of the escrow."""

    reason: CloseReason
    charged: int
    shares: Split


def used_at(rental: EscrowTerms, at: int) -> int:
    """Seconds of a running rental's paid time that have passed; no fewer than the host has been paid for."""
    return max(shown_until(rental, at), rental.settled)


def stopped_at(rental: EscrowTerms, listing: Heard, now: int, slot: int) -> StopOutcome | None:
    """Outcome if the renter of a running rental stops it now; None once its paid time is over."""
    if now >= paid_until(rental):
        return None
    if is_silent(listing, now, slot):
        used = used_until_silence(rental, listing)
        return StopOutcome(CloseReason.HOST_OFFLINE, used, split(rental, used, host_at_fault=True))
    seconds = _charged_if_stopped(rental, used_at(rental, now))
    return StopOutcome(CloseReason.STOPPED, seconds, split(rental, seconds, host_at_fault=False))


def compensation(rental: Rental) -> int:
    """Compensation that a waiting order pays the machine's holder if it displaces them or its renter withdraws it: the
    part of its deposit beyond its cost. Zero once it has been paid."""
    return rental.deposit - accrued_ceil(rental.rate, rental.duration)


def compensation_paid_by(rental: Rental) -> int:
    """Compensation that a rental has paid to the holder that it displaced: its least charge without a
    subsidy; zero if none was paid."""
    if not rental.compensated:
        return 0
    return accrued_ceil(rental.rate + rental.subsidy_rate, rental.min_charge)


def require_repriced_within(rental: Rental, mint: PaymentMint, listing: Listing, tolerance_bps: int) -> None:
    """Requires, as the program does of an extension, that the rental's own price still gives about the rates it has.

    `mint` carries its fresh price. RentalRepriced.
    """
    price = usd_to_base_units_ceil(rental.rate_usd, mint.price, mint.decimals)
    fees = Fees(2 * rental.renter_fee_bps)
    unburned = rental.rate + rental.subsidy_rate - rental.burn_rate
    own_share = mul_div_ceil(rental.subsidy_rate, price + fees.of_renter_ceil(price), unburned)
    granted = subsidy_floor(mint.subsidy_bps, machine_reference_usd(listing), rental.rate_usd, price)
    today = Rates.at(price, fees, subsidy=min(own_share, granted), burn_bps=mint.burn_bps)
    if today.rate > rental.rate + share_floor(rental.rate, tolerance_bps):
        raise refusal(RentalRepriced.code, "it would cost more today")
    if rental.subsidy_rate - granted > share_floor(rental.subsidy_rate, tolerance_bps):
        raise refusal(RentalRepriced.code, "its subsidy would be smaller today")


def has_ended(rental: Rental) -> bool:
    """True if it is over and its account stays only for a debt: `deposit` to the renter, or the holdback."""
    return rental.state in (State.ENDED, State.FINISHED)


def owes_renter(rental: Rental) -> bool:
    """True where it is over and could not refund its renter."""
    return rental.state == State.ENDED


def is_finished(rental: Rental) -> bool:
    """True where its command has ended, and its holdback waits for the renter's time to contest to pass."""
    return rental.state == State.FINISHED


def contest_by(rental: Rental) -> int:
    """Until when the renter of a finished rental may contest it; from then on anyone may release the holdback."""
    return rental.started_at + rental.settled + rental.finish_window


def holdback(rental: Rental, seconds: int) -> int:
    """Part of the earnings of `seconds` that is held back."""
    return earned_floor(rental, seconds) - payable_floor(rental, seconds)


def still_open(rentals: Mapping[Pubkey, Rental]) -> dict[Pubkey, Rental]:
    """Those that have not ended."""
    return {address: rental for address, rental in rentals.items() if not has_ended(rental)}


def is_running(rental: Rental) -> bool:
    """True where the host has started the machine and the rental has not ended."""
    return rental.state == State.RUNNING


def paid_until(rental: EscrowTerms) -> int:
    """When the paid time of a running rental ends."""
    return rental.started_at + rental.duration


def overdue_before_end(rental: Rental, listing: Listing) -> bool:
    """True where the host was overdue when the paid time ended, so that its silence matters."""
    return overdue_at(listing, rental.offline_after) <= paid_until(rental)


def unstarted_tip(rental: Rental) -> int:
    """Lamports for ending it because its host has not started: of a match a transaction's cost at most."""
    if rental.is_matched:
        return min(rental.tip_lamports, SIGNATURE_LAMPORTS)
    return rental.tip_lamports


def used_until_silence(rental: EscrowTerms, listing: Heard) -> int:
    """Seconds that count when the host is gone: up to its last heartbeat, and never less than has been settled."""
    return used_at(rental, listing.last_heartbeat_at)


def shown_until(rental: EscrowTerms, heartbeat_at: int) -> int:
    """Seconds of paid time at the end of which a heartbeat showed the machine."""
    return min(max(heartbeat_at - rental.started_at, 0), rental.duration)
