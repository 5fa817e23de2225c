"""What a host does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Listing
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types import CloseReason, ListingSpec
from anchor_client.market.session import Session
from anchor_client.resources.job import Job
from anchor_client.tokens import create_associated_token
from anchor_client.transactions import Sent

HEARTBEAT_LISTINGS: Final = 24
"""Listings that one heartbeat names: their addresses fill most of a transaction."""


class Hosting(Session):
    """Instructions that a host signs."""

    async def register_host(self, seal_key: bytes) -> Sent:
        """Registers the wallet as a host; orders are sealed to `seal_key`, an X25519 public key of 32 bytes."""
        return await self.send(
            [build.register_host(seal_key=seal_key, authority=self.address, program_id=self.program_id)]
        )

    async def update_host(self, seal_key: bytes) -> Sent:
        """Replaces the host's seal key."""
        return await self.send(
            [build.update_host(seal_key=seal_key, authority=self.address, program_id=self.program_id)]
        )

    async def create_listing(self, spec: ListingSpec) -> Pubkey:
        """Lists a machine under the host's next number and gives its address. UnknownHost."""
        return (await self.create_listings([spec]))[0]

    async def create_listings(self, specs: Sequence[ListingSpec]) -> list[Pubkey]:
        """Lists machines under the host's next numbers, as many as fit a transaction at once. UnknownHost."""
        first = (await self.reads.host(self.address)).next_listing
        host = find_host(self.address, self.program_id)[0]
        numbered = list(enumerate(specs, first))
        for start in range(0, len(numbered), LISTINGS_PER_TRANSACTION):
            await self.send(
                [
                    build.create_listing(id=number, spec=spec, authority=self.address, program_id=self.program_id)
                    for number, spec in numbered[start : start + LISTINGS_PER_TRANSACTION]
                ]
            )
        return [find_listing(host, number, self.program_id)[0] for number, _ in numbered]

    async def update_listing(self, listing: Pubkey, spec: ListingSpec) -> Sent:
        """Changes what a listing says; rentals that run keep what they opened with."""
        return await self.send(
            [build.update_listing(spec=spec, authority=self.address, listing=listing, program_id=self.program_id)]
        )

    async def update_price(self, listing: Pubkey, on_demand_usd: int, spot_min_usd: int | None = None) -> Sent:
        """Changes a listing's prices, micro-USD per machine-hour, for new rentals. UnknownListing."""
        current = spec_of(await self.reads.listing(listing))
        values = current.field_values() | {"on_demand_usd": on_demand_usd}
        if spot_min_usd is not None:
            values["spot_min_usd"] = spot_min_usd
        return await self.update_listing(listing, ListingSpec(**values))

    async def close_listing(self, listing: Pubkey) -> Sent:
        """Takes an idle listing off the market; its rent returns. UnknownListing."""
        data = await self.reads.listing(listing)
        return await self.send(
            [
                build.close_listing(
                    authority=self.address, listing=listing, listing_data=data, program_id=self.program_id
                )
            ]
        )

    async def heartbeat(self, listings: Sequence[Pubkey] | None = None) -> list[Sent]:
        """Shows that listings are up, all of the host's unless some are named; as many as fit at once."""
        if listings is None:
            offers = await self.reads.offers(host=find_host(self.address, self.program_id)[0])
            listings = [offer.address for offer in offers]
        batches = [
            listings[start : start + HEARTBEAT_LISTINGS] for start in range(0, len(listings), HEARTBEAT_LISTINGS)
        ]
        return [await self.send([self.heartbeat_instruction(batch)]) for batch in batches]

    def heartbeat_instruction(self, listings: Sequence[Pubkey]) -> Instruction:
        """One heartbeat for listings that fit one transaction."""
        return build.heartbeat(
            authority=self.address,
            remaining_accounts=[AccountMeta(listing, is_signer=False, is_writable=True) for listing in listings],
            program_id=self.program_id,
        )

    async def accept(self, job: Pubkey, connection: bytes) -> Sent:
        """Takes an order and hands over the connection, sealed to the key in the order. UnknownJob."""
        rental = await self.reads.rental(job)
        listing = await self.reads.listing(rental.listing)
        return await self.send(
            [
                create_associated_token(self.address, listing.authority, rental.mint),
                build.accept_rental(
                    connection=connection,
                    authority=self.address,
                    rental=job,
                    rental_data=rental,
                    listing_data=listing,
                    program_id=self.program_id,
                ),
            ]
        )

    async def start(self, job: Pubkey) -> Sent:
        """The machine is up: the meter starts. UnknownJob."""
        rental = await self.reads.rental(job)
        return await self.send(
            [build.start_rental(authority=self.address, rental=job, rental_data=rental, program_id=self.program_id)]
        )

    async def cancel(self, job: Pubkey, reason: CloseReason = CloseReason.HOST_FAULT) -> Job:
        """Gives a rental up; the holdback goes to the renter. UnknownJob."""
        ending = await self.ending(job)
        sent = await self.send(ending.with_token_accounts(build.cancel_rental, reason=reason))
        return await self.ended(ending, sent)


LISTINGS_PER_TRANSACTION: Final = 6


def spec_of(listing: Listing) -> ListingSpec:
    """What a listing says, as it would be said again."""
    values = {name: getattr(listing, name) for name in ListingSpec.LAYOUT.layouts}
    return ListingSpec(**values | {"visible": listing.visible != 0})
