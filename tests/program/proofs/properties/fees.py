"""Optional charges, and what becomes of fees."""

from __future__ import annotations

from types import SimpleNamespace

from anchor_client.generated.constants import BPS, MAX_DURATION, SECONDS_PER_HOUR
from anchor_client.rules.math import U64_MAX, share_floor
from anchor_client.rules.meter import storage_limit_floor
from tests.program.proofs.given import Given
from tests.program.proofs.inputs import AT, U32_MAX, share
from tests.program.proofs.stated import Claims, holds


@holds("MKT-2")
def swept_fees_are_divided_whole(given: Given) -> Claims:
    """Swept fees are burned, the stakers' or the treasury's, and no part is negative."""
    due, burn, stakers = given.integer("fees_due", 0, U64_MAX), share(given, "burn_bps"), share(given, "stakers_bps")
    given.assume(burn + stakers <= BPS)
    given.product(due, BPS - burn - stakers)
    treasury = due - share_floor(due, burn) - share_floor(due, stakers)
    yield "not negative", treasury >= 0
    yield "no less than its share", treasury * BPS >= due * (BPS - burn - stakers)


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
