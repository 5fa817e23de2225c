"""Life of a meter, in the recorded market."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.types import MarketParameter
from tests.markets.recorded import Market
from tests.program.harness import charges
from tests.program.harness.actors import USDC
from tests.program.harness.changes import set_parameter
from tests.program.harness.charges import FREE_MB

WINDOW = 60


def metered(market: Market, renter: Pubkey, listing: Pubkey) -> Pubkey:
    """The meter of a running rental paid in USDC, at the listing's charges, with a short window."""
    market.act(set_parameter(MarketParameter.CHARGE_WINDOW, WINDOW))
    return charges.metered(market, renter, listing, mint=USDC)


def report(market: Market, meter: Pubkey, extra_mb: int) -> None:
    """The host reports so much above the allowance."""
    market.act(charges.report_usage(market, meter, FREE_MB + extra_mb))


def settled(market: Market, meter: Pubkey) -> None:
    """The host is paid for some use that the renter has accepted."""
    report(market, meter, 2_000)
    market.act(charges.accept_usage(market, meter))
    market.act(charges.settle_meter(market, meter))


def whole_life(market: Market, renter: Pubkey, listing: Pubkey) -> None:
    """A meter that has gone through everything, and is closed."""
    meter = metered(market, renter, listing)
    settled(market, meter)
    report(market, meter, 102_000)
    market.act(charges.dispute_usage(market, meter))
    market.wait(WINDOW + 1)
    market.act(charges.resolve_dispute(meter))
    market.beat()
    charges.ended(market, meter)
    report(market, meter, 103_000)
    market.wait(WINDOW + 1)
    market.act(charges.close_meter(market, meter))
