"""What anyone may do, for the tip or for nothing: nobody's money waits for anyone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.errors import UnknownVault
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Vault
from anchor_client.generated.pdas import find_associated_token, find_host, find_vault
from anchor_client.generated.program import TOKEN_PROGRAM
from anchor_client.market.endings import Build
from anchor_client.market.session import Session
from anchor_client.resources.job import Job
from anchor_client.tokens import create_associated_token
from anchor_client.transactions import Sent

COUNTED_LISTINGS: Final = 24
"""Listings that one update of a host's reputation names: their addresses fill most of a transaction."""


class Cranking(Session):
    """Permissionless instructions; the wallet pays the fee, and takes the tip of a rental that it ends."""

    async def settle(self, job: Pubkey) -> Sent:
        """Pays the host what a running rental has earned so far; with nothing new to pay it changes nothing."""
        rental = await self.reads.rental(job)
        listing = await self.reads.listing(rental.listing)
        return await self.send(
            [
                create_associated_token(self.address, listing.authority, rental.mint),
                build.settle_rental(rental=job, rental_data=rental, listing_data=listing, program_id=self.program_id),
            ]
        )

    async def finalize(self, job: Pubkey) -> Job:
        """Ends a rental whose paid time is over."""
        return await self._end(job, build.finalize_rental)

    async def report_offline(self, job: Pubkey) -> Job:
        """Ends a rental whose host has gone silent; the renter is compensated."""
        return await self._end(job, build.report_offline)

    async def cancel_unstarted(self, job: Pubkey) -> Job:
        """Ends a rental that its host did not start in time, with a full refund."""
        return await self._end(job, build.cancel_unstarted)

    async def update_reputation(self, authority: Pubkey) -> list[Sent]:
        """Counts what the listings of a host, by its wallet, have gathered, and scores it when that is due.

        As many listings as fit at once, the rest in more transactions; the last one scores. UnknownHost.
        """
        await self.reads.host(authority)
        host = find_host(authority, self.program_id)[0]
        offers = await self.reads.offers(host=host)
        return [
            await self.send([instruction])
            for instruction in reputation_updates(host, [offer.address for offer in offers], self.program_id)
        ]

    async def preempt(self, listing: Pubkey) -> Job:
        """Ends a challenged rental after its grace and hands the machine to the order that waits."""
        state = await self.reads.listing(listing)
        ending = await self.ending(state.current)
        instructions = ending.with_token_accounts(build.preempt, challenger=state.challenger)
        return await self.ended(ending, await self.send(instructions))

    async def take_over(self, listing: Pubkey) -> Sent:
        """Gives a machine that fell idle to the order that waits for it."""
        state = await self.reads.listing(listing)
        return await self.send([build.take_over(rental=state.challenger, listing=listing, program_id=self.program_id)])

    async def withdraw_challenger(self, job: Pubkey) -> Job:
        """Gives an order that has waited too long for its machine its money back."""
        ending = await self.ending(job)
        return await self.ended(ending, await self.send(ending.refunded(build.withdraw_challenger, 0)))

    async def sweep_fees(self, mint: Pubkey, shard: int) -> Sent:
        """Divides a vault's fees between burn, stakers and treasury. UnknownVault."""
        address = find_vault(mint, shard, self.program_id)[0]
        vault = await self.reads.program.read(Vault, address)
        if vault is None:
            raise UnknownVault(f"There is no vault {shard} of mint {mint}")
        market = await self.reads.market()
        return await self.send(
            [
                create_associated_token(self.address, market.treasury, mint),
                build.sweep_fees(
                    caller=self.address,
                    vault=address,
                    treasury_token=find_associated_token(market.treasury, TOKEN_PROGRAM, mint)[0],
                    vault_data=vault,
                    program_id=self.program_id,
                ),
            ]
        )

    async def _end(self, job: Pubkey, instruction: Build) -> Job:
        ending = await self.ending(job)
        return await self.ended(ending, await self.send(ending.with_token_accounts(instruction)))


def reputation_updates(host: Pubkey, listings: Sequence[Pubkey], program_id: Pubkey) -> list[Instruction]:
    """The calls that bring all of a host's listings, one transaction each; one without listings when it has none."""
    return [
        build.update_reputation(
            host=host,
            remaining_accounts=[
                AccountMeta(listing, is_signer=False, is_writable=True)
                for listing in listings[start : start + COUNTED_LISTINGS]
            ],
            program_id=program_id,
        )
        for start in range(0, max(len(listings), 1), COUNTED_LISTINGS)
    ]
