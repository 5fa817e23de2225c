"""Two rentals of one wallet: one is stopped, the other expires and is finalized by the keeper."""

from __future__ import annotations

from collections.abc import Sequence

from anchor_client.amounts import usd
from anchor_client.generated.constants import SECONDS_PER_HOUR
from anchor_client.generated.events import RentalRated
from anchor_client.market import Job, JobState
from local_market.demo.stage import GPU, SCRIPT, Part, Stage

STOP_AFTER = 25 * 60
RATING = 5


async def rental(stage: Stage) -> Sequence[Part]:
    """Rents an H100 for an hour twice."""
    part = await stage.renter("The renter")
    job = await _rent(stage, part)
    await stage.pass_seconds(STOP_AFTER, job.listing)
    await _rate(stage, part, job)
    stopped = part.jobs["stopped"] = await part.market.rental.stop(job.id)
    stage.tell_end(stopped, "Stopped by the renter")

    job = await _rent(stage, part)
    await stage.pass_seconds(job.duration + 1, job.listing)
    expired = part.jobs["expired"] = await stage.ended(job.id, JobState.COMPLETED)
    stage.tell_end(expired, f"Ended by the keeper {expired.finalized_by}")
    return [part]


async def _rate(stage: Stage, part: Part, job: Job) -> None:
    sent = await part.market.rental.rate(job.id, RATING)
    rated = sent.event(RentalRated)
    stage.tell(f"  the renter rates it {RATING} of 5, weighted by the {usd(rated.weight)} they paid without subsidy")


async def _rent(stage: Stage, part: Part) -> Job:
    job = await part.market.compute(gpu=GPU, duration=SECONDS_PER_HOUR, script=SCRIPT)
    stage.tell(f"Rents an H100 PCIe in {job.region} for an hour: [bold]{job.id}[/]")
    stage.tell(f"  {stage.say(job.deposit)} from the renter and {stage.say(job.subsidy)} of subsidy are in escrow")
    await stage.reached(job.id, JobState.RUNNING)
    stage.tell("  the host has accepted and started the machine")
    return job
