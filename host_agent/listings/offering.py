"""Changes of listings that an agent makes for their owner: it hides those whose GPUs another listing's order has, and
prepares maintenance. It keeps what the owner has set, and goes back to it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Listing
from anchor_client.generated.types import ListingSpec
from anchor_client.market import Market
from anchor_client.market.host.plan import spec_of
from anchor_client.rules.listing import is_free
from anchor_client.service.private_files import replace_file
from host_agent.errors import HostConfigurationError
from host_agent.listings.maintenance import Maintenance
from host_agent.notices import RenterNotice, RenterNotices

DIRECTORY: Final = "offers"
"""Directory in the agent's state directory: what owners have set in the listings that the agent has changed."""
NONE_SECONDS: Final = 1
"""Longest rental of a hidden machine: the running one cannot be extended."""

log = structlog.get_logger(__name__)


class OfferState(NamedTuple):
    """A listing's offer: its longest rental, and whether search shows it."""

    longest: int
    visible: bool


HIDDEN: Final = OfferState(NONE_SECONDS, False)


@dataclass(frozen=True, slots=True)
class OfferChange:
    """The owner's offer, and those that the agent has set or is about to set."""

    owners: OfferState
    agents: Sequence[OfferState]

    def owner_now(self, stated: OfferState) -> OfferState:
        """The owner's choice, given what the listing says: a part that the agent did not set is the owner's."""
        owners = stated
        if stated.longest in {offer.longest for offer in self.agents}:
            owners = owners._replace(longest=self.owners.longest)
        if stated.visible in {offer.visible for offer in self.agents}:
            owners = owners._replace(visible=self.owners.visible)
        return owners


class Offering:
    """Offers the listings of one machine. The market's signer is their owner."""

    def __init__(self, market: Market, state_dir: Path) -> None:
        self._market = market
        self._state_dir = state_dir
        self._notices = RenterNotices(state_dir)
        self._changes: dict[Pubkey, OfferChange | None] = {}
        self._told: tuple[str, Maintenance] | None = None
        """The last event of a maintenance that was logged."""
        self._is_unreadable = False
        """True while there is a plan, and nobody knows for when."""

    async def look(self, listings: Mapping[Pubkey, Listing], taken: Collection[Pubkey], now: int) -> None:
        """Changes what has to be changed at `now`. Errors are logged, and the next look tries again."""
        try:
            plan = self._plan()
            for address, listing in listings.items():
                stated = _stated(listing)
                owners = self.owners(address, stated)
                wanted = owners
                notice: RenterNotice | None = None
                if self._is_unreadable:
                    wanted = HIDDEN
                elif plan is not None and address in plan.listings:
                    wanted = await self._maintained(plan, owners, stated, now)
                    notice = plan.notice() if now < plan.until else None
                self._notices.set(address, notice)
                if address in taken:
                    wanted = wanted._replace(visible=False)
                await self._set(address, listing, owners, wanted)
            if plan is not None:
                self._tell(plan, listings, now)
        except GpuMarketError as error:
            log.warning("listing_not_changed", error=error.message, remedy=error.remedy)
        except OSError as error:
            log.warning("listing_not_changed", error=str(error))

    def owners(self, address: Pubkey, stated: OfferState) -> OfferState:
        """The owner's offer, for a listing that says `stated`."""
        change = self._change(address)
        if change is None:
            return stated
        return change.owner_now(stated)

    def _plan(self) -> Maintenance | None:
        """The plan. None for one that cannot be read, which is logged: until it can be, no listing takes orders."""
        was_unreadable = self._is_unreadable
        try:
            plan = Maintenance.read(self._state_dir)
        except HostConfigurationError as error:
            self._is_unreadable = True
            if not was_unreadable:
                log.error("maintenance_unreadable", error=error.message, remedy=error.remedy)
            return None
        self._is_unreadable = False
        return plan

    async def _maintained(self, plan: Maintenance, owners: OfferState, stated: OfferState, now: int) -> OfferState:
        terms = await self._market.reads.market()
        longest = plan.longest(owners.longest, stated.longest, terms, now)
        if longest is None:
            return HIDDEN
        return owners._replace(longest=longest)

    async def _set(self, address: Pubkey, listing: Listing, owners: OfferState, wanted: OfferState) -> None:
        stated = _stated(listing)
        if stated != wanted:
            if wanted != owners:
                # Before the listing says it: otherwise a restart would take it for the owner's word.
                self._keep(address, OfferChange(owners, [each for each in (stated, wanted) if each != owners]))
            values = {"mrl_seconds": wanted.longest, "visible": wanted.visible}
            await self._market.host.update_listing(address, ListingSpec(**spec_of(listing).field_values() | values))
            log.info("listing_changed", listing=str(address), longest_seconds=wanted.longest, visible=wanted.visible)
        if wanted == owners:
            self._forget(address)
        else:
            self._keep(address, OfferChange(owners, [wanted]))

    def _change(self, address: Pubkey) -> OfferChange | None:
        if address not in self._changes:
            self._changes[address] = _read(self._state_dir / DIRECTORY / str(address))
        return self._changes[address]

    def _keep(self, address: Pubkey, change: OfferChange) -> None:
        if self._changes.get(address) != change:
            document = {"owners": change.owners, "agents": list(change.agents)}
            replace_file(self._state_dir / DIRECTORY / str(address), json.dumps(document).encode())
            self._changes[address] = change

    def _forget(self, address: Pubkey) -> None:
        if self._changes[address] is not None:
            (self._state_dir / DIRECTORY / str(address)).unlink(missing_ok=True)
            self._changes[address] = None

    def _tell(self, plan: Maintenance, listings: Mapping[Pubkey, Listing], now: int) -> None:
        """Logs what has become of the plan, and forgets it at its end."""
        ours = {address: listing for address, listing in listings.items() if address in plan.listings}
        occupied = [str(address) for address, listing in ours.items() if not is_free(listing)]
        if now >= plan.until:
            plan.remove(self._state_dir)
            event = "maintenance_over"
        elif now < plan.at:
            event = "maintenance_planned"
        elif occupied:
            event = "maintenance_waits_for_rentals"
        else:
            event = "maintenance_begun"
        if self._told != (event, plan):
            self._told = event, plan
            log.info(event, listings=[str(each) for each in ours], at=plan.at, until=plan.until, occupied=occupied)


def _stated(listing: Listing) -> OfferState:
    return OfferState(listing.mrl_seconds, listing.visible != 0)


def _read(file: Path) -> OfferChange | None:
    try:
        found = json.loads(file.read_bytes())
        return OfferChange(OfferState(*found["owners"]), [OfferState(*each) for each in found["agents"]])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        log.warning("offer_unreadable", file=str(file), remedy="Check the listing's longest rental and visibility.")
        return None
