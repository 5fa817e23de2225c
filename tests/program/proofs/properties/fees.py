"""Optional charges, and what becomes of fees."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from anchor_client.generated.constants import BPS, MAX_DURATION, SECONDS_PER_HOUR
from anchor_client.rules.math import U64_MAX
from anchor_client.rules.meter import storage_limit_floor, stored_from
from anchor_client.rules.vault import SweptFees, held, swept
from tests.program.proofs.given import Given
from tests.program.proofs.inputs import AT, U32_MAX, share
from tests.program.proofs.stated import Claims, holds

HELD: Final = ("fees_due", "stakers_due", "treasury_due", "liabilities", "subsidy_pool")
"""Balance of a vault's token account."""


def _sweep(given: Given) -> tuple[Any, Any, SweptFees]:
    """A vault, its market and the division of its fees."""
    burn, stakers = share(given, "burn_bps"), share(given, "stakers_bps")
    given.assume(burn + stakers <= BPS)
    market: Any = SimpleNamespace(market_mint=0, fee_burn_bps=burn, fee_stakers_bps=stakers)
    amounts = {name: given.integer(name, 0, U64_MAX) for name in HELD}
    vault: Any = SimpleNamespace(mint=given.choice("mint", (0, 1)), **amounts)
    given.product(vault.fees_due, BPS - burn - stakers)
    return vault, market, swept(vault, market)


@holds("MKT-2")
def swept_fees_are_divided_whole(given: Given) -> Claims:
    """Swept fees are burned, the stakers' or the treasury's, and no part is negative."""
    vault, market, parts = _sweep(given)
    due, rest = vault.fees_due, BPS - market.fee_burn_bps - market.fee_stakers_bps
    yield "whole", parts.burned + parts.stakers + parts.treasury == due
    yield "not negative", min(parts.burned, parts.stakers, parts.treasury) >= 0
    yield "no less than its share", parts.treasury * BPS >= due * rest
    yield "no more than their share", parts.stakers * BPS <= due * market.fee_stakers_bps


@holds("MKT-1", "MKT-2")
def what_a_sweep_leaves_is_still_held(given: Given) -> Claims:
    """After a sweep whose treasury cannot be paid a vault holds all but what was burned."""
    before, _, parts = _sweep(given)
    after: Any = SimpleNamespace(**vars(before))
    after.fees_due, after.stakers_due = 0, before.stakers_due + parts.stakers
    after.treasury_due = before.treasury_due + parts.treasury
    yield "burned", held(before) - held(after) == parts.burned
    yield "covers each", held(before) >= max(vars(before)[name] for name in HELD)


@holds("CHG-5")
def storage_counts_from_the_start(given: Given) -> Claims:
    """No storage is charged for the time before a rental's start, nor for that before its meter's opening."""
    meter = SimpleNamespace(
        storage_gb=given.integer("storage_gb", 0, U32_MAX), opened_at=given.integer("opened_at", 0, AT)
    )
    own = SimpleNamespace(started_at=given.integer("started_at", 0, AT))
    now, until = given.integer("now", 0, AT), given.integer("paid_until", 0, AT)
    limit = storage_limit_floor(meter, stored_from(meter, own), until, now)
    for name, since in (("start", own.started_at), ("opening", meter.opened_at)):
        ran = max(now - since, 0)
        given.product(meter.storage_gb, ran - max(0, min(now, until) - stored_from(meter, own)))
        yield name, limit * SECONDS_PER_HOUR <= meter.storage_gb * ran


@holds("CHG-5")
def storage_is_bounded_by_what_was_paid_for(given: Given) -> Claims:
    """The GB-hours that a host may report never exceed the storage ordered for the paid time, and are never
    negative."""
    meter = SimpleNamespace(storage_gb=given.integer("storage_gb", 0, U32_MAX))
    since = given.integer("since", 1, AT)
    now, term = given.integer("now", 0, AT), given.integer("term", 0, MAX_DURATION)
    given.product(meter.storage_gb, term)
    limit = storage_limit_floor(meter, since, since + term, now)
    until = min(now, since + term)
    given.product(meter.storage_gb, since + term - until)
    yield "not negative", limit >= 0
    yield "paid time", limit * SECONDS_PER_HOUR <= meter.storage_gb * term
