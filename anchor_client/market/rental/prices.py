"""Prices of machines for one order: what it would pay for an hour of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from anchor_client.generated.errors import MathOverflow
from anchor_client.generated.types import RentalKind
from anchor_client.market.host.offers import Offer
from anchor_client.market.rental.terms import OrderTerms
from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.rules.order import OrderStanding, quote_ceil


@dataclass(frozen=True, slots=True)
class OrderPrices:
    """Quotes of one order for any machine."""

    terms: OrderTerms
    wanted: RentalWanted
    pool_left: int
    """Subsidy that the order's vault may give at most."""
    standing: OrderStanding
    """The renter's side: the host's changes nothing for them."""

    def paid_usd(self, offer: Offer) -> int | None:
        """Micro-USD that the order pays an hour, rounded down; None for a machine that takes none of its kind."""
        terms, wanted = self.terms, self.wanted
        if terms.kind is RentalKind.SPOT:
            offered = offer.listing.spot_min_usd and (wanted.bid_usd or offer.listing.spot_min_usd)
        else:
            offered = offer.listing.on_demand_usd
        if offered == 0:
            return None
        cover = replace(offer.cover, left=min(offer.cover.left, self.pool_left))
        kind, seconds = terms.kind, wanted.duration
        try:
            quote = quote_ceil(offered, kind, seconds, terms.market, terms.priced_mint, self.standing, cover=cover)
        except MathOverflow:
            return None
        return terms.paid_usd(quote)

    def cheapest(self, offers: Iterable[Offer]) -> list[Offer]:
        """The offers within the order's maximum, cheapest first, else in their order."""
        most = self.wanted.max_usd
        priced = [(paid, offer) for offer in offers if (paid := self.paid_usd(offer)) is not None]
        fitting = [(paid, offer) for paid, offer in priced if most is None or paid <= most]
        return [offer for _, offer in sorted(fitting, key=lambda found: found[0])]
