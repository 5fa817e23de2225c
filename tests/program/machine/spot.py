"""Spot orders, and what becomes of a machine that somebody waits for."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from solders.pubkey import Pubkey

from anchor_client.generated import errors
from anchor_client.generated.types.rental_kind import RentalKind

from ..harness.actors import KEEPER
from ..harness.spot import outbid, place_bid, preempt, take_over, withdraw_challenger
from ..harness.terms import HOUR, RESERVED_TERMS
from .base import UNAVAILABLE, Refusals, keepers, people, vaults, which
from .rental import RentalRules

OUTDONE: Refusals = (
    errors.BidTooLow,
    errors.BidTooHigh,
    errors.PriceBelowHolder,
    errors.SelfChallenge,
    errors.JustWithdrawn,
    errors.TakeOverDue,
    errors.SpotNotOffered,
)


class SpotRules(RentalRules):
    @precondition(lambda self: self.offered())
    @rule(
        who=people,
        index=which,
        vault=vaults,
        kind=st.sampled_from([RentalKind.SPOT, RentalKind.SPOT, RentalKind.ON_DEMAND]),
        usd=st.integers(1_900_000, 6_000_000),
        seconds=st.integers(HOUR, 9 * HOUR),
    )
    def bid(self, who: int, index: int, vault: int, kind: RentalKind, usd: int, seconds: int) -> None:
        """An order for a machine, whoever is in its way; one that takes it is started."""
        self.beat()
        renter, listing = self.renter(who), self.offered()[index % len(self.offered())]
        self.bid_for(listing, renter, vault, kind, usd, seconds)

    def bid_for(
        self,
        listing: Pubkey,
        renter: Pubkey,
        vault: int,
        kind: RentalKind,
        usd: int,
        seconds: int,
    ) -> None:
        state, (mint, shard) = self.world.listing(listing), self.vault(vault)
        offer = usd if kind is RentalKind.SPOT else 0
        order: dict[str, Any] = {
            "mint": mint,
            "shard": shard,
            "kind": kind,
            "bid": offer,
            "duration": seconds,
        }
        if state.current == Pubkey.default():
            opening = self.world.open_rental(renter, listing, **order)
            if (
                self.attempt(opening, errors.BidTooLow, errors.BidTooHigh, errors.SpotNotOffered, *UNAVAILABLE)
                is not None
            ):
                rental = self.world.listing(listing).current
                self.act(self.world.accept_rental(rental), self.world.start_rental(rental))
            return
        place = place_bid if state.challenger == Pubkey.default() else outbid
        self.attempt(place(self.world, renter, listing=listing, **order), *OUTDONE, *UNAVAILABLE)

    @precondition(lambda self: self.offered())
    @rule(
        turns=st.permutations(range(3)),
        paid=st.lists(vaults, min_size=3, max_size=3),
        last=st.sampled_from(RentalKind),
        pauses=st.lists(st.integers(0, 120), min_size=3, max_size=3),
        decided=st.booleans(),
    )
    def contest(self, turns: list[int], paid: list[int], last: RentalKind, pauses: list[int], decided: bool) -> None:
        """Three renters in a row want each machine, the last one in any way; if `decided`, whoever is due gets it."""
        usd = 1_900_000
        self.keep_house(KEEPER)
        for listing in self.offered():
            for who, vault, kind, pause in zip(turns, paid, (RentalKind.SPOT,) * 2 + (last,), pauses, strict=True):
                self.bid_for(listing, self.renter(who), vault, kind, usd, RESERVED_TERMS[0])
                usd += usd // 2
                self.world.wait(pause)
                self.beat()
            if decided and listing in self.challenged():
                self.hand_over_machine(listing, 0, KEEPER)

    @rule(keeper=keepers)
    def keep_house(self, keeper: Pubkey) -> None:
        """Machines that have fallen idle go to whoever waits for them, or the money goes back."""
        super().keep_house(keeper)
        for listing in self.challenged():
            state = self.world.listing(listing)
            if state.current != Pubkey.default():
                continue
            if self.attempt(take_over(self.world, listing), errors.ListingOffline, errors.PayoutUnclaimed) is None:
                act = withdraw_challenger(self.world, state.challenger, caller=keeper)
                self.attempt(act, errors.ChallengerInTime)

    def waited_for(self, index: int) -> Pubkey | None:
        """A listing that somebody waits for, if need be a new one; None if it cannot be."""
        if not self.challenged():
            self.keep_house(KEEPER)
            listing = self.free()[index % len(self.free())]
            for who, usd in ((index, 2_000_000), (index + 1, 4_000_000)):
                self.bid_for(listing, self.renter(who), index, RentalKind.SPOT, usd, 9 * HOUR)
        return self.challenged()[index % len(self.challenged())] if self.challenged() else None

    @precondition(lambda self: self.offered())
    @rule(index=which, early=st.integers(-200, 200), keeper=keepers)
    def preempt(self, index: int, early: int, keeper: Pubkey) -> None:
        """Somebody tries to hand a machine over around the end of its holder's grace."""
        listing = self.waited_for(index)
        if listing is not None:
            self.hand_over_machine(listing, early, keeper)

    def hand_over_machine(self, listing: Pubkey, early: int, keeper: Pubkey) -> None:
        self.wait_until(self.world.listing(listing).preempt_at - early)
        self.beat()
        if self.world.listing(listing).current != Pubkey.default():
            early_or_late = (
                errors.GraceNotOver,
                errors.RentalExpired,
                errors.ProvisioningOverdue,
                errors.ListingOffline,
            )
            self.attempt(preempt(self.world, listing, caller=keeper), *early_or_late)
        else:
            self.attempt(take_over(self.world, listing), errors.ListingOffline, errors.PayoutUnclaimed)

    @precondition(lambda self: self.offered())
    @rule(index=which, seconds=st.integers(0, HOUR), own=st.booleans())
    def withdraw(self, index: int, seconds: int, own: bool) -> None:
        """The order that waits is taken back, by its renter or by anyone."""
        listing = self.waited_for(index)
        if listing is None:
            return
        self.world.wait(seconds)
        rental = self.world.listing(listing).challenger
        signer = self.world.rental(rental).renter if own else KEEPER
        act = withdraw_challenger(self.world, rental, caller=signer)
        self.attempt(
            act, *((errors.JustPlaced, errors.OrderBound, errors.TakeOverDue) if own else (errors.ChallengerInTime,))
        )

    def end_challenges(self) -> None:
        """Anyone takes back what still waits."""
        for listing in self.challenged():
            self.act(withdraw_challenger(self.world, self.world.listing(listing).challenger, caller=KEEPER))
