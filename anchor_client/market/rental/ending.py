"""The accounts that every instruction needs that ends a rental, and what must be there before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.market.history import events_of_rental
from anchor_client.market.job import JobRecord, Life
from anchor_client.market.purse import Purse
from anchor_client.market.reads import MarketReader
from anchor_client.market.spot.preemption import has_departed, preemption
from anchor_client.payment_tokens import payout_account
from anchor_client.resources.job import Job
from anchor_client.rules.listing import is_idle
from anchor_client.rules.meter import meter_to_end
from anchor_client.rules.subsidy import host_to_end
from anchor_client.solana.transactions import Sent

Build = Callable[..., Instruction]
"""A generated instruction that ends a rental."""


@dataclass(frozen=True, slots=True)
class RentalEnding:
    """A rental and its listing, as read from the chain, about to be ended by `signer`."""

    reads: MarketReader
    signer: Pubkey
    address: Pubkey
    rental: Rental
    listing: Listing

    @classmethod
    async def read(cls, reads: MarketReader, signer: Pubkey, job: Pubkey) -> RentalEnding:
        """An open rental and its listing. UnknownJob."""
        rental = await reads.rental(job)
        return cls(reads, signer, job, rental, await reads.listing(rental.listing))

    @property
    def purse(self) -> Purse:
        """Account that receives the renter's refund."""
        return Purse.receiving(self.signer, self.rental.renter, self.rental.mint)

    def into(self, build: Build, **arguments: Any) -> tuple[Instruction, ...]:
        """The ending by a generated builder. Whoever signs makes the token account that they are paid into themselves;
        what another payee cannot take is owed to them."""
        return self._into(build, host=self._host, **arguments)

    def _into(self, build: Build, **arguments: Any) -> tuple[Instruction, ...]:
        renter = self.purse
        host = Purse.of_host(self.signer, self.listing, self.rental.mint)
        act = self.reads.instruction(
            build,
            caller=self.signer,
            rental=self.address,
            rental_data=self.rental,
            renter_payout=renter.address,
            host_payout=host.address,
            # Without a burn there is one account less to lock.
            mint=self.rental.mint if self.rental.burn_rate > 0 else None,
            meter=self._meter,
            **arguments,
        )
        return renter.around(*host.around(act))

    async def withdrawn(self) -> tuple[Instruction, ...]:
        """The end of an order that never held its machine. Its renter compensates whoever holds the machine, or held it
        until the host ended their rental; all else goes back to them. UnknownJob.
        """
        purse = self.purse
        is_held = not is_idle(self.listing)
        leaves = self.signer == self.rental.renter
        compensates = leaves and (is_held or has_departed(self.listing))
        return purse.around(
            self.reads.instruction(
                build.withdraw_challenger,
                caller=self.signer,
                rental=self.address,
                rental_data=self.rental,
                renter_payout=purse.address,
                holder=self.listing.current if leaves and is_held else None,
                holder_payout=await self._holder_payout() if compensates else None,
                meter=self._meter,
                host=self._host,
            )
        )

    async def preempted(self) -> tuple[Instruction, ...]:
        """The end of a challenged rental, compensated out of the escrow of the order that waits. UnknownJob."""
        challenger = await self.reads.rental(self.listing.challenger)
        return self._into(build.preempt, **preemption(self.listing, self.rental, challenger, self.reads.program_id))

    @property
    def _meter(self) -> Pubkey | None:
        return meter_to_end(self.address, self.rental, self.reads.program_id)

    @property
    def _host(self) -> Pubkey | None:
        return host_to_end(self.rental, self.listing)

    async def _holder_payout(self) -> Pubkey:
        if has_departed(self.listing):
            return payout_account(self.listing.departed_renter, self.rental.mint)
        holder = await self.reads.rental(self.listing.current)
        return payout_account(holder.renter, self.rental.mint)

    async def job(self, sent: Sent) -> Job:
        """The job that a transaction has ended."""
        record = JobRecord.of_account(self.address, self.rental, self.listing.host)
        life = Life.told(events_of_rental(self.address, sent), record)
        return life.job_as_told(self.listing, await self.reads.denomination(self.rental.mint))
