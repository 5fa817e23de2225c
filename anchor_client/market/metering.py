"""Optional charges of a rental: what the host prices, the renter caps, and anyone settles."""

from __future__ import annotations

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.errors import InsufficientBalance, UnknownMeter
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Listing, Meter
from anchor_client.generated.pdas import find_meter
from anchor_client.generated.types import Charges
from anchor_client.market.session import Session
from anchor_client.tokens import (
    NATIVE_MINT,
    TOKEN_ACCOUNT_BYTES,
    SolPurse,
    associated_token,
    balance_in,
    create_associated_token,
)
from anchor_client.transactions import Sent


class Metering(Session):
    """Instructions about a rental's meter; `job` is the rental's address, also after its end. UnknownMeter."""

    async def meter(self, job: Pubkey) -> Meter:
        """What a rental's meter says. UnknownMeter where none is open."""
        meter = await self.reads.program.read(Meter, self.meter_address(job))
        if meter is None:
            raise UnknownMeter(f"No meter of {job} is open")
        return meter

    async def meters(self, *, renter: Pubkey | None = None, authority: Pubkey | None = None) -> dict[Pubkey, Meter]:
        """The open meters, of one renter or one host's wallet if named."""
        fields = {"renter": renter, "authority": authority}
        return await self.reads.program.read_all(
            Meter, {name: bytes(value) for name, value in fields.items() if value is not None}
        )

    async def set_charges(self, listing: Pubkey, charges: Charges) -> Sent:
        """Sets what a listing charges beyond its price, for new meters. Its host."""
        return await self.send(
            [build.set_charges(charges=charges, authority=self.address, listing=listing, program_id=self.program_id)]
        )

    async def open_meter(self, job: Pubkey, cap: int, *, storage_gb: int = 0, agreed: Charges | None = None) -> Sent:
        """Escrows `cap` base units for a rental's charges at `agreed` unit prices, the listing's unless named.

        The renter; a rental paid in SOL is capped in SOL. UnknownJob, InsufficientBalance.
        """
        rental = await self.reads.rental(job)
        listing = await self.reads.listing(rental.listing)
        before: tuple[Instruction, ...] = ()
        after: tuple[Instruction, ...] = ()
        renter_token = associated_token(self.address, rental.mint)
        if rental.mint == NATIVE_MINT:
            held = await self.reads.program.balance(self.address)
            purse = await self._purse(cap)
            before, after, renter_token = purse.before, purse.after, purse.address
        else:
            held = balance_in(await self.reads.program.account(renter_token))
        if held < cap:
            raise InsufficientBalance(await self.reads.denomination(rental.mint), cap, held)
        opening = build.open_meter(
            cap=cap,
            storage_gb=storage_gb,
            agreed=agreed or charges_of(listing),
            renter=self.address,
            rental=job,
            renter_token=renter_token,
            rental_data=rental,
            program_id=self.program_id,
        )
        return await self.send([*before, opening, *after])

    async def report_usage(self, job: Pubkey, bandwidth_mb: int, storage_gb_hours: int = 0) -> Sent:
        """Reports what a rental has used since its meter opened, in all. Its host."""
        return await self.send(
            [
                build.report_usage(
                    bandwidth_mb=bandwidth_mb,
                    storage_gb_hours=storage_gb_hours,
                    authority=self.address,
                    meter=self.meter_address(job),
                    program_id=self.program_id,
                )
            ]
        )

    async def dispute_usage(self, job: Pubkey) -> Sent:
        """Freezes the usage that is open to dispute. The renter."""
        meter = self.meter_address(job)
        return await self.send([build.dispute_usage(renter=self.address, meter=meter, program_id=self.program_id)])

    async def accept_usage(self, job: Pubkey) -> Sent:
        """Agrees to all that has been reported, disputed or not. The renter."""
        meter = self.meter_address(job)
        return await self.send([build.accept_usage(renter=self.address, meter=meter, program_id=self.program_id)])

    async def resolve_dispute(self, job: Pubkey) -> Sent:
        """Drops disputed usage that was not accepted in time. Anyone."""
        return await self.send([build.resolve_dispute(meter=self.meter_address(job), program_id=self.program_id)])

    async def settle_meter(self, job: Pubkey) -> Sent:
        """Pays the host the usage that nobody may dispute any more; with nothing to pay it changes nothing. Anyone."""
        meter = await self.meter(job)
        return await self.send(
            [
                create_associated_token(self.address, meter.authority, meter.mint),
                build.settle_meter(meter=self.meter_address(job), meter_data=meter, program_id=self.program_id),
            ]
        )

    async def end_meter(self, job: Pubkey) -> Sent:
        """Notes that a meter's rental has ended; `stop` does it on the way. Anyone."""
        meter = self.meter_address(job)
        return await self.send([build.end_meter(meter=meter, rental=job, program_id=self.program_id)])

    async def close_meter(self, job: Pubkey) -> Sent:
        """Pays what is owed and refunds the rest of the cap; a renter who paid in SOL has SOL back. Anyone.

        A dispute whose time is over is resolved on the way.
        """
        meter = await self.meter(job)
        address = self.meter_address(job)
        before = [create_associated_token(self.address, meter.authority, meter.mint)]
        if meter.disputed and await self.reads.now() > meter.disputed_at + meter.charge_window:
            before.append(build.resolve_dispute(meter=address, program_id=self.program_id))
        if meter.mint == NATIVE_MINT and meter.renter == self.address:
            purse = await self._purse(0)
            closing = build.close_meter(
                meter=address, meter_data=meter, renter_token=purse.address, program_id=self.program_id
            )
            return await self.send([*before, *purse.before, closing, *purse.after])
        closing = build.close_meter(meter=address, meter_data=meter, program_id=self.program_id)
        renter_token = create_associated_token(self.address, meter.renter, meter.mint)
        return await self.send([*before, renter_token, closing])

    def meter_address(self, job: Pubkey) -> Pubkey:
        """Where a rental's meter is or would be."""
        return find_meter(job, self.program_id)[0]

    async def _purse(self, lamports: int) -> SolPurse:
        rent = await self.reads.program.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES)
        return SolPurse.of(self.address, lamports, rent)


def charges_of(listing: Listing) -> Charges:
    """What a listing charges beyond its price."""
    return Charges(listing.bandwidth_usd, listing.bandwidth_free_gb, listing.storage_usd)


def has_charges(listing: Listing) -> bool:
    """Whether a listing charges for anything beyond its price."""
    return listing.bandwidth_usd > 0 or listing.storage_usd > 0


def claimed(meter: Meter) -> int:
    """What a meter charges if the renter agrees to all that has been reported, base units."""
    return meter.accepted + meter.pending + meter.disputed
