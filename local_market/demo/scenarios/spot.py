"""One machine, three renters: A takes it on spot, B outbids A, C displaces B on demand."""

from __future__ import annotations

from collections.abc import Sequence

from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.generated.constants import SECONDS_PER_HOUR
from anchor_client.market import Job, JobState, RentalWanted
from anchor_client.orders import Workload
from anchor_client.symbols import MARKET_TOKEN
from local_market.demo.stage import GPU, SCRIPT, Part, Stage

DURATION = 4 * SECONDS_PER_HOUR
FIRST_RUNS = 20 * 60
SECOND_RUNS = 15 * 60
THIRD_RUNS = 10 * 60
ORDER = Workload.of(command=SCRIPT)


async def spot(stage: Stage) -> Sequence[Part]:
    """Plays a machine through a bid, a higher bid and an order at full price."""
    first, second, third = [await stage.renter(name) for name in "ABC"]
    held = await first.market.rental.open(
        RentalWanted(duration=DURATION, pay=MARKET_TOKEN, gpu=GPU, kind="spot"), ORDER
    )
    stage.tell(f"A takes an H100 PCIe in {held.region} on spot at {usd(held.rate_usd)}/h: [bold]{held.id}[/]")
    await stage.reached(held.id, JobState.RUNNING)
    await stage.pass_seconds(FIRST_RUNS, held.listing)

    higher = await second.market.spot.bid(held.listing, duration=DURATION, workload=ORDER)
    stage.tell(f"B bids {usd(higher.rate_usd)}/h: [bold]{higher.id}[/]")
    first.jobs["A outbid"] = await _displaced(stage, held.id, "A", higher)
    await stage.pass_seconds(SECOND_RUNS, held.listing)

    full = await third.market.spot.bid(held.listing, duration=DURATION, kind="on-demand", workload=ORDER)
    stage.tell(f"C orders on demand at {usd(full.rate_usd)}/h: [bold]{full.id}[/]")
    second.jobs["B displaced"] = await _displaced(stage, higher.id, "B", full)
    await stage.pass_seconds(THIRD_RUNS, held.listing)
    await third.market.rental.stop(full.id)
    # What C has compensated B with was told before the stop.
    stopped = third.jobs["C stopped"] = await third.market.jobs.with_history(full.id)
    stage.tell_end(stopped, "C stops")
    return [first, second, third]


async def _displaced(stage: Stage, holder: Pubkey, name: str, challenger: Job) -> Job:
    """The holder is warned, the grace period passes, and the keeper hands the machine over."""
    warning = await stage.seen(holder, lambda status: status.preempt_at is not None, "warned")
    grace = (warning.preempt_at or warning.ts) - warning.ts
    stage.tell(f"  {name} is warned: {grace} s to save their work")
    await stage.pass_seconds(grace, challenger.listing)
    ended = await stage.ended(holder, JobState.PREEMPTED)
    stage.tell_end(ended, f"{name} is preempted by the keeper")
    await stage.reached(challenger.id, JobState.RUNNING)
    stage.tell("  the machine now runs for the next renter")
    return ended
