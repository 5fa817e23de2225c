"""Spot book of a machine: who holds it, who waits for it, and what an order needs to get in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.errors import refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Listing, PaymentMint, Rental, Vault
from anchor_client.generated.pdas import find_renter_profile, find_vault
from anchor_client.generated.types import Order, RentalKind
from anchor_client.kinds import LIVE_STATES
from anchor_client.market.purse import Purse
from anchor_client.payment_tokens import payout_bump
from anchor_client.resources import spot as resource
from anchor_client.rules.listing import least_bid_usd, next_bid_usd, takes_order
from anchor_client.rules.meter import meter_to_end
from anchor_client.solana.tokens import associated_token


class SpotEntry(StrEnum):
    """The instruction by which an order gets to a machine as it stands."""

    OPEN = "open_rental"
    BID = "place_bid"
    OUTBID = "outbid"


@dataclass(frozen=True, slots=True)
class Placement:
    """An order and the accounts that every instruction needs that places one."""

    nonce: int
    order: Order
    renter: Pubkey
    renter_token: Pubkey
    vault: Pubkey
    vault_data: Vault
    listing: Pubkey
    listing_data: Listing
    payment_mint_data: PaymentMint
    price_feed: Pubkey | None
    program_id: Pubkey

    def by(self, build: Callable[..., Instruction], **more: Any) -> Instruction:
        """The order by one of them: a generated builder, with its other arguments."""
        return build(**{field.name: getattr(self, field.name) for field in fields(self)}, **more)


@dataclass(frozen=True, slots=True)
class SpotPlace:
    """A rental that holds a machine or waits for it."""

    address: Pubkey
    rental: Rental

    @property
    def is_spot(self) -> bool:
        """True where it gives way to a better order."""
        return self.rental.kind == RentalKind.SPOT

    @property
    def shown(self) -> resource.SpotPlace:
        """The same as the API answers it."""
        kind = RentalKind(self.rental.kind)
        status = LIVE_STATES[self.rental.state]
        return resource.SpotPlace.drawn_from(self.rental, job=self.address, kind=kind, status=status)


@dataclass(frozen=True, slots=True)
class SpotBook:
    """A machine's holder and challenger at `now`. Prices are micro-USD per machine-hour, times unix seconds."""

    address: Pubkey
    listing: Listing
    holder: SpotPlace | None
    challenger: SpotPlace | None
    increment_bps: int
    now: int

    @property
    def preempt_at(self) -> int | None:
        """When the challenger may take over; None without one."""
        return self.listing.preempt_at if self.challenger is not None else None

    @property
    def to_beat(self) -> SpotPlace | None:
        """The rental that the next order must beat."""
        return self.challenger or self.holder

    @property
    def beaten(self) -> Rental | None:
        """The order that leaves, with all that it has escrowed, when a better one takes its place."""
        return None if self.holder is None or self.challenger is None else self.challenger.rental

    @property
    def is_open(self) -> bool:
        """True where some order can get in now; False when the next holder is settled."""
        if self.challenger is not None and (self.holder is None or self.now >= self.listing.preempt_at):
            return False
        if self.to_beat is None:
            return takes_order(self.listing)
        return self.to_beat.is_spot and not self.is_resting

    @property
    def is_resting(self) -> bool:
        """True where no order may begin to wait because one has been withdrawn."""
        return self.holder is not None and self.challenger is None and self.now < self.listing.challenge_from

    @property
    def takes_full_price(self) -> bool:
        """True where an order at the listing's on-demand price gets in now."""
        return self.is_open and (self.to_beat is None or self.listing.on_demand_usd >= self.to_beat.rental.rate_usd)

    @property
    def least_bid_usd(self) -> int | None:
        """The least spot bid that gets in now; None when none does."""
        if not self.is_open:
            return None
        to_beat = None
        if self.to_beat is not None:
            to_beat = (self.to_beat.is_spot, self.to_beat.rental.rate_usd)
        return next_bid_usd(self.listing.on_demand_usd, self.listing.spot_min_usd, to_beat, self.increment_bps)

    @property
    def shown(self) -> resource.SpotBook:
        """The same as the API answers it, without the orders that waited."""
        holder, challenger = (each and each.shown for each in (self.holder, self.challenger))
        return resource.SpotBook.drawn_from(
            self.listing,
            listing=self.address,
            holder=holder,
            challenger=challenger,
            preempt_at=self.preempt_at,
            minimum_bid_usd=self.least_bid_usd,
        )

    def entry(self, renter: Pubkey, kind: RentalKind, price_usd: int) -> SpotEntry:
        """Instruction by which an order at this price gets in; raises what the program would refuse it for."""
        if self.to_beat is None:
            if not takes_order(self.listing):
                raise refusal(refusals.PayoutUnclaimed.code)
            return SpotEntry.OPEN
        if self.holder is None or (self.challenger is not None and self.now >= self.listing.preempt_at):
            raise refusal(refusals.TakeOverDue.code)
        if not self.to_beat.is_spot:
            raise refusal(refusals.ListingOccupied.code)
        if self.holder.rental.renter == renter:
            raise refusal(refusals.SelfChallenge.code)
        if self.is_resting:
            raise refusal(refusals.JustWithdrawn.code, f"{self.listing.challenge_from - self.now} s from now")
        held_at = self.to_beat.rental.rate_usd
        least = least_bid_usd(held_at, self.increment_bps)
        if kind is RentalKind.SPOT and price_usd < least:
            raise refusal(refusals.BidTooLow.code, f"the least is {usd(least)} an hour")
        if price_usd < held_at:
            raise refusal(refusals.PriceBelowHolder.code, f"that pays {usd(held_at)} an hour")
        return SpotEntry.BID if self.challenger is None else SpotEntry.OUTBID

    def place(self, entry: SpotEntry, order: Placement) -> list[Instruction]:
        """The order itself; a beaten renter who raises their bid makes their own token account if it is missing."""
        if entry is SpotEntry.OPEN or self.holder is None:
            return [order.by(build.open_rental)]
        if entry is SpotEntry.BID or self.challenger is None:
            return [order.by(build.place_bid, holder=self.holder.address)]
        beaten = self.challenger.rental
        program_id = order.program_id
        beaten_vault = find_vault(beaten.mint, beaten.shard, program_id)[0]
        refund = Purse.receiving(order.renter, beaten.renter, beaten.mint)
        others: dict[str, Pubkey | None] = {"beaten_profile": None, "beaten_vault": None, "beaten_vault_token": None}
        # Who is named already, as the order's renter or its vault, is not named a second time.
        if beaten.renter != order.renter:
            others["beaten_profile"] = find_renter_profile(beaten.renter, program_id)[0]
        if beaten_vault != order.vault:
            others["beaten_vault"] = beaten_vault
            others["beaten_vault_token"] = associated_token(beaten_vault, beaten.mint)
        return [
            *refund.before,
            order.by(
                build.outbid,
                holder=self.holder.address,
                beaten=self.challenger.address,
                beaten_data=beaten,
                beaten_payout=refund.address,
                payout_bump=payout_bump(beaten.renter, beaten.mint),
                **others,
                beaten_meter=meter_to_end(self.challenger.address, beaten, program_id),
            ),
        ]
