"""One request: a keeper matches it, and the renter has credentials within a minute."""

from __future__ import annotations

import time
from collections.abc import Sequence

from solders.pubkey import Pubkey

from anchor_client.generated.constants import USD
from anchor_client.market import Job, JobState, MachineWanted, Market
from anchor_client.orders import Workload
from anchor_client.symbols import MARKET_TOKEN
from local_market.demo.stage import SCRIPT, Part, Stage
from local_market.demo.waiting import until
from local_market.errors import StartFailed

GPU = "nvidia-a100-sxm4-80gb"
NEAR = "eu-west"
HOURS = 6
MAX_USD = 1_500_000
STOP_AFTER = 25 * 60
PROMISED_SECONDS = 60.0


async def request(stage: Stage) -> Sequence[Part]:
    """Requests any A100 near Paris, and measures the time from payment to credentials."""
    part = await stage.renter("The renter")
    wanted = MachineWanted(
        gpu=GPU, duration=HOURS * 3_600, pay=MARKET_TOKEN, max_usd=MAX_USD, order_hash=bytes(32), near=NEAR
    )
    asked = await part.market.request.open(wanted, Workload.of(command=SCRIPT))
    paid = time.monotonic()
    stage.tell(
        f"Asks for any A100, near Paris, for {HOURS} hours and up to ${MAX_USD / USD:.2f} an hour: [bold]{asked.id}[/]"
    )
    stage.tell(f"  {stage.say(asked.deposit)} in escrow")
    job = await part.market.request.await_match(asked.id)
    if not isinstance(job, Job):
        raise StartFailed(f"Request {asked.id} found no machine", "Check that market's keeper.")
    found = time.monotonic() - paid
    back = asked.deposit - job.deposit
    stage.tell(f"A keeper matched it with a machine in {job.region} after {found:.1f} s: [bold]{job.id}[/]")
    stage.tell(f"  {stage.say(back)} refunded at once")
    await _reach(part.market, job.id)
    took = time.monotonic() - paid
    stage.tell(f"  its credentials are here {took:.1f} s after the payment")
    if took >= PROMISED_SECONDS:
        raise StartFailed(f"The credentials of {job.id} took {took:.1f} s, not less than {PROMISED_SECONDS:.0f} s")
    stage.measured |= {
        "request": str(asked.id),
        "refunded_at_match": (await part.market.request.get(asked.id)).refunded,
        "seconds_to_match": round(found, 2),
        "seconds_to_credentials": round(took, 2),
    }
    await stage.reached(job.id, JobState.RUNNING)
    await stage.pass_seconds(STOP_AFTER, job.listing)
    stopped = part.jobs["stopped"] = await part.market.rental.stop(job.id)
    stage.tell_end(stopped, "Stopped by the renter")
    return [part]


async def _reach(renter: Market, job: Pubkey) -> None:
    """Waits until the host has accepted and sent its connection. StartFailed if that takes too long."""

    async def connected() -> bool:
        return await renter.rental.connection(job) is not None

    late = StartFailed(f"The host of {job} has not accepted within {PROMISED_SECONDS:.0f} s")
    await until(renter, job, connected, PROMISED_SECONDS, late)
