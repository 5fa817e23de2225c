"""What is done with meters on the small market."""

from __future__ import annotations

from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as ix
from anchor_client.generated import pdas
from anchor_client.generated.accounts import Meter, Rental
from anchor_client.generated.types import Charges, MarketParameter
from localnet.records import TransactionRecord
from tests.markets.recorded import TOKEN, Market, Renter

CHARGES = Charges(bandwidth_usd=10_000, bandwidth_free_gb=1, storage_usd=100)
CAP = 5 * TOKEN
WINDOW = 60


@dataclass
class Metered:
    """A rental with a meter of the renter's, paid in USDC."""

    market: Market
    renter: Renter
    rental: Pubkey

    @property
    def address(self) -> Pubkey:
        return pdas.find_meter(self.rental)[0]

    def account(self) -> Meter:
        return self.market.account(Meter, self.address)

    def report(self, bandwidth_mb: int, storage_gb_hours: int = 0) -> TransactionRecord:
        host = self.market.host_key
        report = ix.report_usage(
            bandwidth_mb=bandwidth_mb,
            storage_gb_hours=storage_gb_hours,
            authority=host.pubkey(),
            meter=self.address,
        )
        return self.market.send(host, report)

    def dispute(self) -> TransactionRecord:
        return self.market.send(self.renter.key, ix.dispute_usage(meter_data=self.account()))

    def accept(self) -> TransactionRecord:
        return self.market.send(self.renter.key, ix.accept_usage(meter_data=self.account()))

    def resolve(self) -> TransactionRecord:
        return self.market.send(self.market.oracle, ix.resolve_dispute(meter=self.address))

    def settle(self) -> TransactionRecord:
        return self.market.send(self.market.oracle, ix.settle_meter(meter_data=self.account()))

    def end(self) -> TransactionRecord:
        return self.market.send(self.market.oracle, ix.end_meter(meter_data=self.account()))

    def close(self) -> TransactionRecord:
        return self.market.send(self.market.oracle, ix.close_meter(meter_data=self.account()))


def charge(market: Market, listing: Pubkey) -> None:
    """The host prices the listing's traffic and storage."""
    host = market.host_key
    market.send(host, ix.set_charges(charges=CHARGES, authority=host.pubkey(), listing=listing))


def metered(market: Market, renter: Renter, listing: Pubkey) -> Metered:
    """A running rental with a meter at the listing's charges."""
    market.cluster.warp(1)
    market.beat()
    market.send(market.authority, market.parameter(MarketParameter.CHARGE_WINDOW, WINDOW))
    charge(market, listing)
    rental = market.run(renter, listing, mint=market.usdc)
    data = market.account(Rental, rental)
    market.send(renter.key, ix.open_meter(cap=CAP, storage_gb=50, agreed=CHARGES, rental=rental, rental_data=data))
    return Metered(market, renter, rental)


def whole_life(market: Market, renter: Renter, listing: Pubkey) -> Metered:
    """A meter that has gone through everything, and is closed."""
    meter = metered(market, renter, listing)
    meter.report(3_000)
    meter.accept()
    meter.settle()
    meter.report(103_000)
    meter.dispute()
    market.cluster.warp(WINDOW + 1)
    meter.resolve()
    market.beat()
    market.stop(renter, meter.rental)
    meter.end()
    meter.report(104_000)
    market.cluster.warp(WINDOW + 1)
    meter.close()
    return meter
