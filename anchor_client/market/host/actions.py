"""Actions of a host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError, ListedInPart, refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Vault
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types import ListingSpec
from anchor_client.market.area import Area
from anchor_client.market.host.plan import heartbeats, reputation_updates, spec_of
from anchor_client.market.purse import Purse
from anchor_client.resources.host import Host
from anchor_client.solana.transactions import Sent

LISTINGS_PER_TRANSACTION: Final = 6


def approval_remedy(wallet: Pubkey) -> str:
    """A host's way to be approved; the error's own remedy is a renter's."""
    return f"Ask the market's authority to approve you: `gpu-market host approve {wallet}`."


class HostActions(Area):
    """Instructions that a host signs, and what anyone may do about one."""

    async def get(self, authority: Pubkey) -> Host:
        """A host by its wallet, as it stands now. UnknownHost."""
        host = await self.reads.host(authority)
        market = await self.reads.market()
        return Host.of_account(find_host(authority, self.program_id)[0], host, market.reputation_prior_usd)

    async def register(self, seal_key: bytes) -> Sent:
        """Registers the wallet as a host; orders are sealed to `seal_key`, an X25519 public key of 32 bytes."""
        return await self.act(build.register_host, seal_key=seal_key, authority=self.address)

    async def update(self, seal_key: bytes) -> Sent:
        """Replaces the host's seal key. UnknownHost."""
        await self.reads.host(self.address)
        return await self.act(build.update_host, seal_key=seal_key, authority=self.address)

    async def create_listing(self, spec: ListingSpec) -> Pubkey:
        """Lists a machine under the host's next number and gives its address. UnknownHost."""
        return (await self.create_listings([spec]))[0]

    async def create_listings(self, specs: Sequence[ListingSpec]) -> list[Pubkey]:
        """Lists machines under the host's next numbers, as many as fit a transaction at once. UnknownHost,
        HostNotApproved, ListedInPart.
        """
        account = await self.reads.host(self.address)
        if not account.approved:
            unapproved = refusal(refusals.HostNotApproved.code)
            unapproved.remedy = approval_remedy(self.address)
            raise unapproved
        first = account.next_listing
        host = find_host(self.address, self.program_id)[0]
        numbered = list(enumerate(specs, first))
        addresses = [find_listing(host, number, self.program_id)[0] for number, _ in numbered]
        for start in range(0, len(numbered), LISTINGS_PER_TRANSACTION):
            try:
                await self.send(
                    *(
                        self.instruction(build.create_listing, id=number, spec=spec, authority=self.address)
                        for number, spec in numbered[start : start + LISTINGS_PER_TRANSACTION]
                    )
                )
            except GpuMarketError as error:
                if start:
                    raise ListedInPart([str(each) for each in addresses[:start]], len(specs), error) from error
                raise
        return addresses

    async def update_listing(self, listing: Pubkey, spec: ListingSpec) -> Sent:
        """Changes what a listing says; rentals that run keep what they opened with. UnknownHost."""
        await self.reads.host(self.address)
        return await self.act(build.update_listing, spec=spec, authority=self.address, listing=listing)

    async def claim_payout(self, listing: Pubkey) -> Sent:
        """Pays a host what a listing owes it since its last rental ended; then it takes orders again. Anyone.

        UnknownListing, and the refusal when nothing is owed.
        """
        account = await self.reads.listing(listing)
        vault = await self.reads.program.read(Vault, account.owed_vault)
        if vault is None:
            raise refusal(refusals.NothingToClaim.code)
        purse = Purse.of_host(self.address, account, vault.mint)
        claiming = self.instruction(
            build.claim_payout,
            caller=self.address,
            listing=listing,
            listing_data=account,
            vault_data=vault,
            host_payout=purse.address,
        )
        return await self.send(*purse.around(claiming))

    async def update_price(self, listing: Pubkey, on_demand_usd: int, spot_min_usd: int | None = None) -> Sent:
        """Changes a listing's prices, micro-USD per machine-hour, for new rentals. UnknownListing."""
        current = spec_of(await self.reads.listing(listing))
        values = current.field_values() | {"on_demand_usd": on_demand_usd}
        if spot_min_usd is not None:
            values["spot_min_usd"] = spot_min_usd
        return await self.update_listing(listing, ListingSpec(**values))

    async def close_listing(self, listing: Pubkey) -> Sent:
        """Takes an idle listing off the market; its rent returns. UnknownHost, UnknownListing."""
        return (await self.close_listings([listing]))[0]

    async def close_listings(self, listings: Sequence[Pubkey]) -> list[Sent]:
        """Takes idle listings off the market, as many as fit a transaction at once. UnknownHost, UnknownListing."""
        await self.reads.host(self.address)
        changes = [
            self.instruction(
                build.close_listing, authority=self.address, listing=each, listing_data=await self.reads.listing(each)
            )
            for each in dict.fromkeys(listings)
        ]
        return [
            await self.send(*changes[start : start + LISTINGS_PER_TRANSACTION])
            for start in range(0, len(changes), LISTINGS_PER_TRANSACTION)
        ]

    async def set_operator(self, operator: Pubkey, listings: Sequence[Pubkey] | None = None) -> list[Sent]:
        """Has another key serve listings, all of the host's unless some are named; the old one no longer can.

        As many as fit at once. The host's wallet.
        """
        if listings is None:
            listings = list(await self.reads.listings_of(find_host(self.address, self.program_id)[0]))
        changes = [
            self.instruction(build.set_operator, operator=operator, authority=self.address, listing=listing)
            for listing in listings
        ]
        return [
            await self.send(*changes[start : start + LISTINGS_PER_TRANSACTION])
            for start in range(0, len(changes), LISTINGS_PER_TRANSACTION)
        ]

    async def heartbeat(self, listings: Sequence[Pubkey] | None = None, *, owner: Pubkey | None = None) -> list[Sent]:
        """Shows that listings are up, unless some are named all that the signer operates; as many as fit at once.

        `owner` is the host's wallet if it is not the signer's. The listings' operator.
        """
        host = find_host(owner or self.address, self.program_id)[0]
        if listings is None:
            known = await self.reads.listings_of(host)
            listings = [address for address, listing in known.items() if listing.operator == self.address]
        return [
            await self.session.send([beat], version=version)
            for beat, version in heartbeats(self.address, host, listings, self.program_id)
        ]

    async def mark_silent(self, listing: Pubkey) -> Sent:
        """Marks a machine whose host has not been heard from for too long; if it does not answer within the market's
        answer window, it counts as silent since its last heartbeat, and a second call proves that. Anyone."""
        return await self.act(build.mark_silent, listing=listing)

    async def approve(self, authority: Pubkey, *, approved: bool = True, subsidy_budget: int = 0) -> Sent:
        """Approves a host, by its wallet, or takes the approval back. `subsidy_budget` are the base units of the market
        token that orders of its machines may draw from the subsidy pool in a UTC day. Authority."""
        return await self.act(
            build.approve_host,
            approved=approved,
            subsidy_budget=subsidy_budget,
            authority=self.address,
            host=find_host(authority, self.program_id)[0],
        )

    async def update_reputation(self, authority: Pubkey) -> list[Sent]:
        """Counts what the listings of a host, by its wallet, have gathered, and scores it when that is due. Anyone.

        As many listings as fit at once, the rest in more transactions; the last one scores. A listing created since the
        first of them were counted waits for the score after. UnknownHost.
        """
        await self.reads.host(authority)
        host = find_host(authority, self.program_id)[0]
        offers = await self.reads.offers(host=host)
        updates = reputation_updates(host, [offer.address for offer in offers], self.program_id)
        return [await self.send(update) for update in updates]
