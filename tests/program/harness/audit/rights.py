"""Whoever an event binds, or whose it says to be the doing, has signed for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.constants import GUARDIAN_PAUSE, GUARDIAN_PAUSE_GAP
from anchor_client.generated.pdas import find_governance, find_listing, find_payment_mint
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.generated.types.pause_area import PauseArea
from anchor_idl.runtime.structs import Event

from ..outcome import Outcome
from .reasons import GIVEN_BY_HOST

ANYONE = (
    events.VaultAdded,
    events.RentSwept,
    events.HostCounted,
    events.HostScored,
    events.ListingMarked,
    events.RenterRegistered,
    events.RentalSettled,
    events.RentalTookOver,
    events.HolderCompensated,
    events.MeterSettled,
    events.MeterEnded,
    events.MeterClosed,
    events.PayoutClaimed,
    events.RefundClaimed,
    events.HoldbackReleased,
    events.DisputeResolved,
    events.EpochAdvanced,
    events.ProposalDecided,
    events.ProposalClosed,
    events.VoteClosed,
)
"""Events of what needs nobody's signature."""

_ACTORS = ("by", "owner", "proposer", "voter", "matched_by", "expired_by")
"""Fields that name whoever caused the event."""

_OWNED = ("rental", "listing", "proposal", "host")
"""Fields that name an account which obeys a wallet, the narrowest first."""

_BY_RENTER = frozenset({CloseReason.STOPPED, CloseReason.WITHDRAWN})


@dataclass(slots=True)
class Rights:
    """Owners of accounts and holders of rights, rebuilt from events alone."""

    authority: Pubkey = field(default_factory=Pubkey.default)
    guardian: Pubkey = field(default_factory=Pubkey.default)
    wallets: dict[Pubkey, Pubkey] = field(default_factory=dict)
    """Of each host, listing, rental and proposal the wallet that it obeys."""
    operators: dict[Pubkey, Pubkey] = field(default_factory=dict)
    """Of each open listing the key that serves it."""
    oracles: dict[Pubkey, Pubkey] = field(default_factory=dict)
    meters: dict[Pubkey, events.MeterOpened] = field(default_factory=dict)
    critical: set[Pubkey] = field(default_factory=set)
    """Proposals that the guardian may veto."""
    paused_until: dict[PauseArea, int] = field(default_factory=dict)
    """When the guardian's last pause of each area was or will be over."""

    def check(self, outcome: Outcome) -> None:
        """AssertionError for an event that the transaction's signers had no right to."""
        signers = set(outcome.signers)
        for event in outcome.events:
            if isinstance(event, events.ProposalExecuted):
                signers.add(find_governance()[0])
            for wallet in self._bound(event, outcome):
                assert wallet in signers, f"{wallet} has not signed for {event}"
            self._enter(event)

    def _bound(self, event: Event, outcome: Outcome) -> tuple[Pubkey, ...]:
        match event:
            case events.RentalOpened():
                matched = {each.rental for each in outcome.events if isinstance(each, events.RequestMatched)}
                return () if event.rental in matched else (event.renter,)
            case events.RentalClosed():
                return event.closed_by, *self._who_ends(event)
            case events.RentalAccepted() | events.RentalStarted():
                return (self.operators[event.listing],)
            case events.RentalPreempting():
                return (self.wallets[event.challenger],)
            case events.ChallengerWithdrawn():
                assert any(isinstance(each, events.RentalClosed) for each in outcome.events)
                return ()
            case events.RequestOpened() | events.RequestCancelled() | events.MeterOpened():
                return (event.renter,)
            case events.UsageDisputed() | events.UsageAccepted():
                return (self.meters[event.meter].renter,)
            case events.UsageReported():
                meter = self.meters[event.meter]
                return (self.operators.get(meter.listing, meter.authority),)
            case _ if isinstance(event, ANYONE):
                return ()
            case _:
                return self._bound_outside_rentals(event)

    def _bound_outside_rentals(self, event: Event) -> tuple[Pubkey, ...]:
        match event:
            case events.HostRegistered() | events.MfpLocked() | events.MfpUnlocked() | events.MfpWithdrawn():
                return (event.authority,)
            case events.HostHeartbeat():
                return tuple(self.operators[find_listing(event.host, beat.id)[0]] for beat in event.listings)
            case events.ListingCreated():
                return (event.authority,)
            case events.ProposalVetoed():
                assert event.proposal in self.critical and event.by == self.guardian
                return (event.by,)
            case events.RenterClosed():
                return (event.wallet,)
            case events.PricePosted():
                return (self.oracles[event.payment_mint],)
            case events.PauseChanged():
                if event.by != self.authority:
                    assert event.by == self.guardian and event.new
                    self._pause(event)
                elif not event.new:
                    self.paused_until[event.area] = min(self.paused_until.get(event.area, 0), event.at)
                return (event.by,)
            case events.MarketInitialized():
                return (event.authority,)
            case (
                events.AuthorityHandedOver()
                | events.MarketUpdated()
                | events.MarketKeyUpdated()
                | events.PaymentMintAdded()
                | events.PaymentMintUpdated()
                | events.HostApproved()
                | events.RewardMintAdded()
                | events.GpuModelSet()
                | events.UnreservedWithdrawn()
                | events.PoolInitialized()
                | events.CatalogInitialized()
            ):
                return (self.authority,)
            case _:
                named = tuple(getattr(event, name) for name in _ACTORS if hasattr(event, name))
                return named or (self._owner_of(event),)

    def _owner_of(self, event: Event) -> Pubkey:
        """The wallet that the event's account obeys: who signs for an event that has no rule here."""
        owners = [self.wallets.get(getattr(event, name)) for name in _OWNED if hasattr(event, name)]
        assert owners and owners[0], f"nobody knows who may cause {event}"
        return owners[0]

    def _pause(self, event: events.PauseChanged) -> None:
        last = self.paused_until.get(event.area, 0)
        assert last == 0 or event.at >= last + GUARDIAN_PAUSE_GAP, f"the guardian pauses again: {event}"
        self.paused_until[event.area] = event.at + GUARDIAN_PAUSE

    def _who_ends(self, event: events.RentalClosed) -> tuple[Pubkey, ...]:
        if event.reason in _BY_RENTER:
            return (event.renter,)
        by_operator = event.reason in GIVEN_BY_HOST or event.reason is CloseReason.FINISHED
        return (self.operators[event.listing],) if by_operator else ()

    def _enter(self, event: Event) -> None:
        match event:
            case events.MarketInitialized():
                self.authority, self.guardian = event.authority, event.guardian
            case events.MarketKeyUpdated(key=MarketKey.GUARDIAN):
                self.guardian = event.new
            case events.AuthorityHandedOver():
                self.authority = event.new
            case events.PaymentMintAdded():
                self.oracles[find_payment_mint(event.mint)[0]] = event.terms.oracle
            case events.PaymentMintUpdated():
                self.oracles[event.payment_mint] = event.new.oracle
            case events.HostRegistered():
                self.wallets[event.host] = event.authority
            case events.ListingCreated():
                self.wallets[event.listing] = self.operators[event.listing] = event.authority
            case events.OperatorSet():
                assert event.old == self.operators[event.listing]
                self.operators[event.listing] = event.new
            case events.ListingClosed():
                del self.operators[event.listing]
            case events.RentalOpened():
                self.wallets[event.rental] = event.renter
            case events.ProposalCreated():
                self.wallets[event.proposal] = event.proposer
                if event.critical:
                    self.critical.add(event.proposal)
            case events.MeterOpened():
                self.meters[event.meter] = event
            case _:
                return
