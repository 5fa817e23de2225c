"""Optional charges of a rental: what the host prices, the renter caps, and anyone settles."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.errors import UnknownMeter
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Meter
from anchor_client.generated.pdas import find_meter
from anchor_client.generated.types import Charges
from anchor_client.market.area import Area
from anchor_client.market.purse import Purse, paying_purse
from anchor_client.payment_tokens import payout_bump
from anchor_client.rules.listing import charges_of
from anchor_client.rules.meter import resolve_by
from anchor_client.solana.tokens import NATIVE_MINT
from anchor_client.solana.transactions import Sent


class ChargesActions(Area):
    """Instructions about a rental's meter; `job` is the rental's address, also after its end. UnknownMeter."""

    async def get(self, job: Pubkey) -> Meter:
        """A rental's meter. UnknownMeter where none is open."""
        return await self.reads.program.require(Meter, self.address_of(job), UnknownMeter(f"No meter of {job} is open"))

    async def list(self, *, renter: Pubkey | None = None, authority: Pubkey | None = None) -> dict[Pubkey, Meter]:
        """The open meters, of one renter or one host's wallet if named."""
        fields = {"renter": renter, "authority": authority}
        return await self.reads.program.read_all(
            Meter, {name: bytes(value) for name, value in fields.items() if value is not None}
        )

    async def set(self, listing: Pubkey, charges: Charges) -> Sent:
        """Sets what a listing charges beyond its price, for new meters. Its host."""
        return await self.act(build.set_charges, charges=charges, authority=self.address, listing=listing)

    async def open(self, job: Pubkey, cap: int, *, storage_gb: int = 0, agreed: Charges | None = None) -> Sent:
        """Escrows `cap` base units for a rental's charges at `agreed` unit prices, the listing's unless named.

        The renter; a rental paid in SOL is capped in SOL. UnknownJob, InsufficientBalance.
        """
        rental = await self.reads.rental(job)
        listing = await self.reads.listing(rental.listing)
        wraps = rental.mint == NATIVE_MINT
        purse = await paying_purse(self.reads, self.address, rental.mint, cap, wraps=wraps)
        opening = self.instruction(
            build.open_meter,
            cap=cap,
            storage_gb=storage_gb,
            agreed=agreed or charges_of(listing),
            renter=self.address,
            rental=job,
            renter_token=purse.address,
            rental_data=rental,
        )
        return await self.send(*purse.around(opening))

    async def report(self, job: Pubkey, bandwidth_mb: int, storage_gb_hours: int = 0) -> Sent:
        """Reports what a rental has used since its meter opened, in all. The listing's operator; its owner once closed.

        From its start on, storage up to the end of its paid time; after its end for one charge window more.
        """
        meter = await self.get(job)
        return await self.act(
            build.report_usage,
            bandwidth_mb=bandwidth_mb,
            storage_gb_hours=storage_gb_hours,
            operator=self.address,
            meter=self.address_of(job),
            meter_data=meter,
        )

    async def dispute(self, job: Pubkey) -> Sent:
        """Freezes the usage that is open to dispute. The renter."""
        await self.get(job)
        return await self.act(build.dispute_usage, renter=self.address, meter=self.address_of(job))

    async def accept(self, job: Pubkey) -> Sent:
        """Agrees to all that has been reported, disputed or not. The renter."""
        await self.get(job)
        return await self.act(build.accept_usage, renter=self.address, meter=self.address_of(job))

    async def resolve(self, job: Pubkey) -> Sent:
        """Drops disputed usage that was not accepted in time. Anyone."""
        return await self.act(build.resolve_dispute, meter=self.address_of(job))

    async def settle(self, job: Pubkey) -> Sent:
        """Pays the host for usage past its dispute window; without any it changes nothing. Anyone."""
        meter = await self.get(job)
        purse = Purse.receiving(self.address, meter.authority, meter.mint)
        settling = self.instruction(
            build.settle_meter,
            meter=self.address_of(job),
            meter_data=meter,
            host_payout=purse.address,
            payout_bump=payout_bump(meter.authority, meter.mint),
        )
        return await self.send(*purse.around(settling))

    async def close(self, job: Pubkey) -> Sent:
        """Pays what is owed and refunds the rest of the cap; a renter who paid in SOL has SOL back. Anyone.

        While one of the two cannot be paid, the meter stays for them. A dispute whose time is over is resolved on the
        way.
        """
        meter = await self.get(job)
        address = self.address_of(job)
        host = Purse.receiving(self.address, meter.authority, meter.mint)
        renter = Purse.receiving(self.address, meter.renter, meter.mint)
        before = [*host.before, *renter.before]
        if meter.disputed and await self.reads.now() > resolve_by(meter):
            before.append(self.instruction(build.resolve_dispute, meter=address))
        closing = self.instruction(
            build.close_meter,
            caller=self.address,
            meter=address,
            meter_data=meter,
            renter_payout=renter.address,
            host_payout=host.address,
        )
        return await self.send(*before, closing)

    def address_of(self, job: Pubkey) -> Pubkey:
        """Address of a rental's meter, open or not."""
        return find_meter(job, self.program_id)[0]
