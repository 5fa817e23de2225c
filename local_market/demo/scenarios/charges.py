"""One rental with charges: what the renter accepts is paid, what they dispute is dropped."""

from __future__ import annotations

from collections.abc import Sequence

from anchor_client.generated.constants import MB_PER_GB, SECONDS_PER_HOUR
from anchor_client.generated.types import Charges
from anchor_client.market import Job, JobState, Market, RentalWanted
from anchor_client.orders import Workload
from anchor_client.resources.charges import say_charges
from anchor_client.rules.catalog import REGION_BY_ID
from anchor_client.rules.listing import charges_of
from anchor_client.symbols import MARKET_TOKEN
from local_market.demo.stage import GPU, SCRIPT, Part, Stage

CHARGES = Charges(bandwidth_usd=10_000, bandwidth_free_gb=100, storage_usd=0)
CAP_TOKENS = 200
AGREED_GB = 250
DISPUTED_GB = 900
RUNS = 20 * 60


async def charges(stage: Stage) -> Sequence[Part]:
    """Rents a machine whose host charges for traffic, and disputes a part of it."""
    part = await stage.renter("The renter")
    offer = (await part.market.listings(gpu=GPU, available_for=SECONDS_PER_HOUR))[0]
    host = stage.host(REGION_BY_ID[offer.listing.region].slug)
    before = charges_of(offer.listing)
    await host.charges.set(offer.address, CHARGES)
    stage.tell(f"A host charges {say_charges(CHARGES)}")
    job = await part.market.rental.open(
        RentalWanted(listing=offer.address, duration=SECONDS_PER_HOUR, pay=MARKET_TOKEN), Workload.of(command=SCRIPT)
    )
    await part.market.charges.open(job.id, stage.base_units(CAP_TOKENS))
    stage.tell(f"Rents its H100 PCIe with at most {CAP_TOKENS} GPUM of charges: [bold]{job.id}[/]")
    await stage.reached(job.id, JobState.RUNNING)
    await stage.pass_seconds(RUNS, job.listing)
    part.charged = await _meter(stage, host, part.market, job)
    stopped = part.jobs["stopped"] = await part.market.rental.stop(job.id)
    stage.tell_end(stopped, "Stopped by the renter")
    await host.charges.set(offer.address, before)
    await _close(stage, part.market, job)
    return [part]


async def _meter(stage: Stage, host: Market, renter: Market, job: Job) -> int:
    """The host reports twice; returns the base units the renter accepts."""
    await host.charges.report(job.id, AGREED_GB * MB_PER_GB)
    await renter.charges.accept(job.id)
    agreed = (await renter.charges.get(job.id)).accepted
    stage.tell(f"  {AGREED_GB} GB reported: the renter accepts {stage.say(agreed)}")
    await host.charges.report(job.id, DISPUTED_GB * MB_PER_GB)
    await renter.charges.dispute(job.id)
    disputed = (await renter.charges.get(job.id)).disputed
    stage.tell(f"  {DISPUTED_GB} GB reported: the renter disputes {stage.say(disputed)}")
    return agreed


async def _close(stage: Stage, market: Market, job: Job) -> None:
    """The dispute windows pass, and the keeper drops the disputed usage and closes the meter."""
    meter = await market.charges.get(job.id)
    await stage.pass_seconds(2 * meter.charge_window + 2, job.listing)
    await stage.gone(market.charges.address_of(job.id), "meter")
    stage.tell(f"  the keeper closes the meter: host {stage.say(meter.accepted)}, the rest of the cap is refunded")
