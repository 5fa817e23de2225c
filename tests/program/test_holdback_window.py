"""The holdback at risk is that of the last window of use. Invariants RNT-6, RNT-12."""

from __future__ import annotations

import pytest

from anchor_client.generated import events
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_kind import RentalKind

from .harness.actors import GPUM, HOST
from .harness.changes import seeded_rates, set_parameter
from .harness.flows import running
from .harness.market import WALLET_TOKENS
from .harness.terms import DAY, HOUR, RESERVED_TERMS
from .harness.world import World

HOLDBACK = 1_000


@pytest.mark.exhaustive
def test_holdback__silence_at_the_end_of_a_month__moves_only_that_of_the_last_day(world: World) -> None:
    rental = running(world, kind=RentalKind.RESERVED, duration=RESERVED_TERMS[1])
    used = RESERVED_TERMS[1] - HOUR
    world.run(used)
    terms = world.rental(rental)
    hourly = terms.rate + terms.subsidy_rate - terms.burn_rate - terms.fee_rate
    world.fall_silent()
    event = world.act(world.report_offline(rental)).event(events.RentalClosed)
    unused = terms.deposit - -(-terms.rate * used // HOUR)
    assert event.reason is CloseReason.HOST_OFFLINE
    last_day = hourly * DAY // HOUR * HOLDBACK // 10_000
    assert event.refunded - unused == pytest.approx(last_day, abs=2)


@pytest.mark.parametrize(("seconds", "window"), [(HOUR - 1, HOUR), (HOUR, HOUR), (HOUR + 1, HOUR), (HOUR + 1, 0)])
def test_holdback__older_than_the_window__is_the_hosts_at_the_next_settlement(
    world: World, seconds: int, window: int
) -> None:
    world.act(set_parameter(MarketParameter.HOLDBACK_WINDOW, window))
    rental = running(world, duration=2 * HOUR)
    world.run(seconds)
    world.act(world.settle_rental(rental))
    host = seeded_rates(GPUM).host
    safe, earned = host * max(seconds - window, 0) // HOUR, host * seconds // HOUR
    assert world.tokens(HOST) - WALLET_TOKENS == safe + (earned - safe) * 9_000 // 10_000


def test_holdback__parameter_changed_since__is_the_rentals_own(world: World) -> None:
    rental = running(world, duration=2 * HOUR)
    world.act(set_parameter(MarketParameter.HOLDBACK_WINDOW, 0))
    world.run(HOUR)
    world.act(world.settle_rental(rental))
    earned = seeded_rates(GPUM).host * HOUR // HOUR
    assert world.tokens(HOST) - WALLET_TOKENS == earned * 9_000 // 10_000
