"""One rental whose host goes offline: marked, it does not answer, is paid up to its last heartbeat and loses its
holdback."""

from __future__ import annotations

from collections.abc import Sequence

from anchor_client.amounts import duration
from anchor_client.generated.constants import BPS, SECONDS_PER_HOUR
from anchor_client.market import JobState
from anchor_client.rules.catalog import REGION_BY_ID
from anchor_client.rules.rental import earned_floor, payable_floor
from local_market.demo.stage import GPU, SCRIPT, Part, Stage

ONLINE_FOR = 20 * 60
SILENCE_MARGIN = 60


async def offline(stage: Stage) -> Sequence[Part]:
    """Rents an H100 for an hour; its host goes offline after a third of it."""
    part = await stage.renter("The renter")
    job = await part.market.compute(gpu=GPU, duration=SECONDS_PER_HOUR, script=SCRIPT)
    stage.tell(f"Rents an H100 PCIe in {job.region} for an hour: [bold]{job.id}[/]")
    await stage.reached(job.id, JobState.RUNNING)
    await stage.pass_seconds(ONLINE_FOR, job.listing)
    terms = await part.market.reads.rental(job.id)
    silence = terms.offline_after + SILENCE_MARGIN
    stage.tell(f"The host falls silent for {duration(silence)}; {duration(terms.offline_after)} are allowed …")
    region = REGION_BY_ID[(await part.market.reads.listing(job.listing)).region].slug
    async with stage.penniless(region, part):
        await stage.time.jump(silence)
        ended = part.jobs["offline"] = await stage.ended(job.id, JobState.FAILED)
    used = ended.used or 0
    holdback = earned_floor(terms, used) - payable_floor(terms, used)
    stage.tell_end(ended, f"Reported by the keeper {ended.finalized_by}")
    stage.tell(f"  its holdback of {terms.holdback_bps * 100 // BPS} %, {stage.say(holdback)}, is in what came back")
    return [part]
