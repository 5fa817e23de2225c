"""Listings on offer: which one an order goes to, and which vault holds its escrow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.errors import UnknownVault
from anchor_client.generated.accounts import Host, Listing, Market, Vault
from anchor_client.generated.types import Silence
from anchor_client.market.host.needs import MachineNeeds
from anchor_client.resources import listing as resource
from anchor_client.resources.gpu import Machines
from anchor_client.resources.listing import listing_of
from anchor_client.resources.rate import order_rates
from anchor_client.rules.host import rank_of, score_of
from anchor_client.rules.hourly import Pricing
from anchor_client.rules.listing import NOBODY, answer_by, is_heard, takes_order
from anchor_client.rules.subsidy import Cover, machine_reference_usd, pool_left, subsidy_left
from anchor_client.service.optional import optional

PARTS_PER_MILLION: Final = 1_000_000
ANY_MACHINE: Final = MachineNeeds()


@dataclass(frozen=True, slots=True)
class Offer:
    """A listing as it stands: who runs it and whether an order can go to it now."""

    address: Pubkey
    listing: Listing
    approved: bool
    online: bool
    score: int | None = None
    """The host's reputation in basis points; None until it has first been scored."""
    owed_mint: Pubkey | None = None
    """Mint that the listing owes its host in; None when nothing is owed."""
    host_since: int | None = None
    """When its host registered."""
    subsidy_left: int = 0
    """Subsidy that an order may still draw from the host's daily budget, base units of the market token."""

    @property
    def is_available(self) -> bool:
        """True where an order can go to it now."""
        return self.approved and self.online and takes_order(self.listing) and self.listing.visible != 0

    def meets(self, needs: MachineNeeds) -> bool:
        """True where the machine is what a renter needs."""
        return needs.unmet(self.address, self.listing, self.score) is None

    @property
    def machines(self) -> Machines:
        """It as one of the machines that a model's availability counts."""
        listing = self.listing
        return Machines(
            gpu_model=listing.gpu_model,
            region=listing.region,
            gpu_count=listing.gpu_count,
            on_demand_usd=listing.on_demand_usd,
            spot_min_usd=listing.spot_min_usd,
            reference_usd=listing.reference_usd,
            mrl_seconds=listing.mrl_seconds,
            subsidy_left=self.subsidy_left,
            listed=1,
            available=int(self.is_available),
        )

    @property
    def cover(self) -> Cover:
        """Bounds of the subsidy of an order that goes to it."""
        return Cover(machine_reference_usd(self.listing), self.subsidy_left)

    def listed(self, pricing: Pricing | None = None) -> resource.Listing:
        """The listing as the API answers it; without `pricing`, without what orders pay."""
        current, challenger = map(_known, (self.listing.current, self.listing.challenger))
        return listing_of(
            self.listing,
            id=self.address,
            number=self.listing.id,
            current=current,
            challenger=challenger,
            approved=self.approved,
            online=self.online,
            score_bps=self.score,
            host_since=self.host_since,
            rates=() if pricing is None else order_rates(self.listing, self.subsidy_left, pricing),
            silence=Silence(self.listing.silence),
            answer_by=answer_by(self.listing),
            owed_mint=self.owed_mint,
        )

    @property
    def uptime_ppm(self) -> int:
        """Share of the watched time that it was up, in parts per million; half until it has been watched."""
        if self.listing.tracked_seconds == 0:
            return PARTS_PER_MILLION // 2
        return self.listing.up_seconds * PARTS_PER_MILLION // self.listing.tracked_seconds


def offers_of(
    listings: Mapping[Pubkey, Listing],
    hosts: Mapping[Pubkey, Host],
    *,
    now: int,
    offline_after: int,
    owing: Mapping[Pubkey, Vault] | None = None,
) -> list[Offer]:
    """The listings with what is known of their hosts, cheapest before fees first, of equals the best reputed first.

    `owing` are the vaults that keep what listings owe their hosts, by address.
    """
    offers = [
        _offer(
            address,
            listing,
            hosts.get(listing.host),
            online=is_heard(listing, now, offline_after),
            now=now,
            vault=(owing or {}).get(listing.owed_vault),
        )
        for address, listing in listings.items()
    ]
    return sorted(offers, key=_preference)


def _known(rental: Pubkey) -> Pubkey | None:
    return None if rental == NOBODY else rental


def _offer(
    address: Pubkey, listing: Listing, host: Host | None, *, online: bool, now: int, vault: Vault | None
) -> Offer:
    return Offer(
        address,
        listing,
        approved=host is not None and host.approved != 0,
        online=online,
        score=optional(score_of, host),
        host_since=None if host is None else host.registered_at,
        owed_mint=None if vault is None else vault.mint,
        subsidy_left=0 if host is None else subsidy_left(host, now),
    )


def match(
    offers: Iterable[Offer],
    *,
    duration: int,
    needs: MachineNeeds = ANY_MACHINE,
    renter: Pubkey | None = None,
    bid_usd: int | None = None,
    excluded: Collection[Pubkey] = (),
) -> list[Offer]:
    """The available offers that fit an order, in their order; never one of the renter's own machines.

    With `bid_usd`, only machines that go for such a spot bid; zero stands for each one's own minimum.
    """
    return [
        offer
        for offer in offers
        if offer.is_available
        and offer.address not in excluded
        and offer.listing.mrl_seconds >= duration
        and offer.listing.authority != renter
        and offer.meets(needs)
        and (bid_usd is None or _takes_bid(offer.listing, bid_usd))
    ]


def choose(fitting: Sequence[Offer], cuda: int) -> Offer:
    """The best of some offers whose CUDA an image of `cuda` can use, as far as it is known; else the best."""
    return min(fitting, key=lambda offer: 0 < offer.listing.cuda < cuda)


def _takes_bid(listing: Listing, bid_usd: int) -> bool:
    return 0 < listing.spot_min_usd <= (bid_usd or listing.spot_min_usd)


def choose_vault(vaults: Mapping[Pubkey, Vault], market: Market, subsidy: int, now: int) -> tuple[Pubkey, Vault]:
    """The shard that gives most of `subsidy` at `now`; of equals the one with the fewest open rentals, then the one
    that could give most. UnknownVault without any vault.
    """
    if not vaults:
        raise UnknownVault("No vault of this market holds this token")

    def preference(item: tuple[Pubkey, Vault]) -> tuple[int, int, int, int]:
        vault = item[1]
        left = pool_left(vault, market, now)
        return -min(left, subsidy), vault.open_rentals, -left, vault.shard

    return min(vaults.items(), key=preference)


def _preference(offer: Offer) -> tuple[int, int, int, int, bytes]:
    listing = offer.listing
    return listing.on_demand_usd, -rank_of(offer.score), -offer.uptime_ppm, listing.idle_since, bytes(offer.address)
