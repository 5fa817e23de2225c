"""Every change of an entity is announced by an event that carries the entity's next number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.renter_profile import RenterProfile
from anchor_client.generated.accounts.vote_record import VoteRecord
from anchor_client.generated.pdas import find_catalog, find_listing, find_market, find_pool, find_stake, find_vault
from anchor_client.generated.program import PROGRAM_ID
from anchor_idl.runtime.structs import Event

from ..outcome import Outcome
from ..states import state_of

Numbers = Iterator[tuple[Pubkey, int]]


class Sequences:
    """The last number of every entity, as events gave them."""

    def __init__(self) -> None:
        self.last: dict[Pubkey, int] = {}
        self._vaults: dict[Pubkey, Pubkey] = {}

    def check(self, outcome: Outcome) -> None:
        """The events' numbers follow the last ones, and every changed account was announced."""
        announced = set()
        for event in outcome.events:
            for entity, number in self._numbers(event):
                assert number == self.last.get(entity, 0) + 1, f"{entity} jumps to {number} in {event}"
                self.last[entity] = number
                announced.add(entity)
            if isinstance(event, events.StakeClosed):
                del self.last[event.stake]
        for address, account in outcome.after.items():
            if account is None or account.owner != PROGRAM_ID or account.executable:
                continue
            before = outcome.before[address]
            if before is not None and before.data == account.data:
                continue
            state: Any = state_of(account.data)
            if isinstance(state, RenterProfile | VoteRecord):
                continue
            assert address in announced, f"{address} changed without an event"
            assert state.seq == self.last[address]

    def _numbers(self, event: Event) -> Numbers:
        fields: Any = event
        match event:
            case events.HostHeartbeat():
                yield event.host, event.seq
                for beat in event.listings:
                    yield find_listing(event.host, beat.id)[0], beat.seq
            case events.HostCounted():
                yield event.host, event.seq
                for count in event.listings:
                    yield find_listing(event.host, count.id)[0], count.seq
            case events.RentalOpened():
                self._vaults[event.rental] = find_vault(event.mint, event.shard)[0]
                yield event.rental, event.seq
                yield event.listing, event.listing_seq
                yield self._vaults[event.rental], event.vault_seq
            case events.RentalClosed():
                yield event.rental, event.seq
                yield event.listing, event.listing_seq
                yield self._vaults[event.rental], event.vault_seq
            case events.RentalSettled() | events.RentalExtended():
                yield event.rental, event.seq
                yield self._vaults[event.rental], event.vault_seq
            case events.MeterOpened():
                yield from self._opening(event.meter, event)
            case events.MeterSettled() | events.MeterClosed():
                yield event.meter, event.seq
                yield self._vaults[event.meter], event.vault_seq
            case events.ListingCreated() | events.ListingUpdated() | events.ListingClosed() | events.PointsRefreshed():
                yield event.listing, event.seq
                yield event.host, event.host_seq
            case events.ChallengerWithdrawn():
                yield event.listing, event.listing_seq
            case events.RentalRated() | events.RentalPreempting() | events.RentalTookOver():
                yield event.rental, event.seq
                yield event.listing, event.listing_seq
            case events.RequestOpened():
                yield from self._opening(event.request, event)
            case events.RequestMatched() | events.RequestCancelled() | events.RequestExpired():
                yield event.request, event.seq
                yield self._vaults[event.request], event.vault_seq
            case events.SubsidyFunded() | events.FeesSwept():
                yield event.vault, event.vault_seq
            case events.ProposalCreated() | events.VoteCast():
                yield from _of_ballot(event)
            case events.RenterRegistered() | events.VoteClosed():
                return
            case _ if isinstance(event, _STAKING):
                yield from _of_staking(event)
            case _:
                yield _ENTITY[type(event)](fields), fields.seq

    def _opening(self, entity: Pubkey, event: events.MeterOpened | events.RequestOpened) -> Numbers:
        self._vaults[entity] = find_vault(event.mint, event.shard)[0]
        yield entity, event.seq
        yield self._vaults[entity], event.vault_seq


def _of_ballot(event: events.ProposalCreated | events.VoteCast) -> Numbers:
    yield event.proposal, event.seq
    if isinstance(event, events.VoteCast):
        yield find_stake(event.voter)[0], event.stake_seq
    else:
        yield find_market()[0], event.market_seq
        yield find_stake(event.proposer)[0], event.stake_seq


def _of_staking(event: Event) -> Numbers:
    match event:
        case events.StakersSwept():
            yield event.vault, event.vault_seq
            yield event.pool, event.pool_seq
        case events.PoolInitialized() | events.RewardMintAdded() | events.EpochAdvanced() | events.RewardsFunded():
            yield event.pool, event.pool_seq
        case (
            events.Staked()
            | events.Unstaked()
            | events.StakeWithdrawn()
            | events.RewardsClaimed()
            | events.RewardsCompounded()
        ):
            yield event.stake, event.seq
            yield find_pool()[0], event.pool_seq
        case events.StakeClosed():
            yield event.stake, event.seq
        case events.MfpLocked() | events.MfpWithdrawn():
            yield event.host, event.host_seq
            yield find_catalog()[0], event.catalog_seq
        case events.MfpUnlocked():
            yield event.host, event.host_seq


_STAKING = (
    events.StakersSwept,
    events.PoolInitialized,
    events.RewardMintAdded,
    events.EpochAdvanced,
    events.RewardsFunded,
    events.Staked,
    events.Unstaked,
    events.StakeClosed,
    events.StakeWithdrawn,
    events.RewardsClaimed,
    events.RewardsCompounded,
    events.MfpLocked,
    events.MfpWithdrawn,
    events.MfpUnlocked,
)

_ENTITY: dict[type[Event], Callable[[Any], Pubkey]] = {
    events.MarketInitialized: lambda event: event.market,
    events.MarketUpdated: lambda event: event.market,
    events.MarketKeyUpdated: lambda event: event.market,
    events.PauseChanged: lambda event: event.market,
    events.PaymentMintAdded: lambda event: event.payment_mint,
    events.PaymentMintUpdated: lambda event: event.payment_mint,
    events.PricePosted: lambda event: event.payment_mint,
    events.VaultAdded: lambda event: event.vault,
    events.HostRegistered: lambda event: event.host,
    events.HostUpdated: lambda event: event.host,
    events.HostApproved: lambda event: event.host,
    events.CatalogInitialized: lambda event: event.catalog,
    events.GpuPointsSet: lambda event: event.catalog,
    events.HostScored: lambda event: event.host,
    events.RentalAccepted: lambda event: event.rental,
    events.RentalStarted: lambda event: event.rental,
    events.IssueReported: lambda event: event.rental,
    events.ChargesSet: lambda event: event.listing,
    events.UsageReported: lambda event: event.meter,
    events.UsageDisputed: lambda event: event.meter,
    events.UsageAccepted: lambda event: event.meter,
    events.DisputeResolved: lambda event: event.meter,
    events.MeterEnded: lambda event: event.meter,
    events.AuthorityHandedOver: lambda event: event.market,
    events.ProposalCancelled: lambda event: event.proposal,
    events.ProposalDecided: lambda event: event.proposal,
    events.ProposalExecuted: lambda event: event.proposal,
}
