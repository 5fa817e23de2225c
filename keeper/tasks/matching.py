"""Matches requests with the best idle machine that fits: by its host's reputation, then price, then distance."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Host, Listing, PaymentMint, Request
from anchor_client.generated.types import RentalKind
from anchor_client.rules.catalog import EARTH_RADIUS_KM, REGION_BY_ID, distance_km
from anchor_client.rules.host import rank_of, score_of
from anchor_client.rules.listing import is_heard, takes_order
from anchor_client.rules.order import Quote, hourly_usd, quote_ceil, standing_of
from anchor_client.rules.renter_profile import quota_of
from anchor_client.rules.subsidy import Cover
from keeper.tasks.request import MATCH_REQUEST, MatchedMachine, RequestSubject
from keeper.tasks.supply import RequestSupply
from keeper.tasks.task import DueTask

UNKNOWN_DISTANCE: Final = 4 * EARTH_RADIUS_KM
"""Larger than any distance on Earth."""

Pair = tuple[Pubkey, Pubkey]
"""A request and a listing."""


def find_matches(
    supply: RequestSupply,
    requests: Mapping[Pubkey, Request],
    now: int,
    *,
    taken: Collection[Pubkey],
    refused: Collection[Pair],
) -> list[DueTask[RequestSubject]]:
    """A machine for each open request that finds one, longest waiting first, each machine once. Skips `taken` listings
    and `refused` pairs.
    """
    found: list[DueTask[RequestSubject]] = []
    gone = set(taken)
    waiting = ((address, request) for address, request in requests.items() if request.expires_at > now)
    for address, request in sorted(waiting, key=lambda item: (item[1].created_at, bytes(item[0]))):
        fitting = [
            place
            for place, listing in supply.listings.items()
            if place not in gone and (address, place) not in refused and fits(supply, request, listing, now)
        ]
        if not fitting:
            continue
        best = min(fitting, key=lambda place: preference(supply, request, place))
        gone.add(best)
        found.append(DueTask(MATCH_REQUEST, RequestSubject(address, request, _machine(supply, request, best)), now))
    return found


def fits(supply: RequestSupply, request: Request, listing: Listing, now: int) -> bool:
    """True if the program would match them now, as far as the supply shows."""
    host = supply.hosts.get(listing.host)
    mint = supply.mints.get(request.mint)
    if host is None or mint is None:
        return False
    return (
        _is_asked_for(request, listing, host)
        and _is_available(supply, listing, host, now)
        and listing.mrl_seconds >= request.duration
        and listing.authority != request.renter
        and _has_priority(supply, request, listing, now)
        and quota_of(supply.market, supply.profiles.get(request.renter), supply.stakes.get(request.renter, 0)).allows(
            listing.region
        )
        and _is_affordable(supply, request, listing, host, mint, now)
    )


def preference(supply: RequestSupply, request: Request, place: Pubkey) -> tuple[int, int, int, int, bytes]:
    """Smaller is better: reputation first, then price, distance from where the renter wants it, and time idle."""
    listing = supply.listings[place]
    rank = rank_of(score_of(supply.hosts[listing.host]))
    return -rank, listing.on_demand_usd, distance(request, listing), listing.idle_since, bytes(place)


def distance(request: Request, listing: Listing) -> int:
    """Kilometres between the listing and the region to be near to; zero when any will do."""
    wanted = REGION_BY_ID.get(request.near_region)
    place = REGION_BY_ID.get(listing.region)
    if request.near_region == listing.region or wanted is None:
        return 0
    return UNKNOWN_DISTANCE if place is None else distance_km(wanted, place)


def _is_asked_for(request: Request, listing: Listing, host: Host) -> bool:
    return (
        listing.gpu_model == request.gpu_model
        and listing.gpu_count == request.gpu_count
        and (request.regions == 0 or bool(request.regions >> listing.region & 1))
        and host.score >= request.min_score_bps
        and listing.vram_gb >= request.min_vram_gb
        and listing.cuda >= request.min_cuda
        and listing.ram_gb >= request.min_ram_gb
        and listing.disk_gb >= request.min_disk_gb
        and listing.net_up_mbps >= request.min_net_up_mbps
        and listing.net_down_mbps >= request.min_net_down_mbps
    )


def _is_available(supply: RequestSupply, listing: Listing, host: Host, now: int) -> bool:
    return (
        host.approved != 0
        and listing.visible != 0
        and takes_order(listing)
        and is_heard(listing, now, supply.market.offline_after)
    )


def _has_priority(supply: RequestSupply, request: Request, listing: Listing, now: int) -> bool:
    stake = supply.stakes.get(request.renter, 0)
    is_staker = stake > 0 and stake >= supply.market.priority_stake
    return is_staker or now - listing.idle_since >= supply.market.priority_window


def _is_affordable(
    supply: RequestSupply, request: Request, listing: Listing, host: Host, mint: PaymentMint, now: int
) -> bool:
    """True if the price is within the renter's limit, and the deposit covers it with what the vault adds."""
    market = supply.market
    kind = RentalKind(request.kind)
    usd = hourly_usd(listing.on_demand_usd, kind, market.reserved_discount_bps)
    price = supply.prices.get(request.mint)
    vault = supply.vaults.get((request.mint, request.shard))
    if usd > request.max_usd or price is None or vault is None:
        return False
    cover = Cover.of(listing, host, now).within(vault, market, now)
    quote = _quote(supply, request, listing, host, replace(mint, price=price.pico_usd), cover)
    return quote.usd_floor >= market.order_min_usd and quote.deposit <= request.deposit


def _quote(
    supply: RequestSupply, request: Request, listing: Listing, host: Host, mint: PaymentMint, cover: Cover
) -> Quote:
    market = supply.market
    stakes = supply.stakes
    renter_stake = stakes.get(request.renter, 0)
    host_stake = stakes.get(listing.authority, 0)
    standing = standing_of(market, mint, host, listing, renter_stake=renter_stake, host_stake=host_stake)
    return quote_ceil(
        listing.on_demand_usd,
        RentalKind(request.kind),
        request.duration,
        market,
        mint,
        standing,
        cover=cover,
    )


def _machine(supply: RequestSupply, request: Request, place: Pubkey) -> MatchedMachine:
    return MatchedMachine(place, supply.listings[place], supply.prices[request.mint].feed)
