"""Two wallets rent the same machine; the first stakes, pays half the fee, and earns from the other's."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from solders.pubkey import Pubkey

from anchor_client.generated import errors
from anchor_client.generated.constants import HOLDING_TOKENS, SECONDS_PER_HOUR
from anchor_client.market import Job, JobState
from anchor_client.symbols import MARKET_TOKEN
from local_market.demo.stage import BUDGET_TOKENS, GPU, SCRIPT, Part, Stage
from local_market.errors import StartFailed

STOP_AFTER = 25 * 60
EPOCHS = 4


async def staking(stage: Stage) -> Sequence[Part]:
    """Compares rentals without and with stake, and claims exactly the expected rewards."""
    staker = await stage.renter("A", HOLDING_TOKENS + BUDGET_TOKENS)
    renter = await stage.renter("B")
    amount = stage.base_units(HOLDING_TOKENS)
    await staker.market.staking.stake(amount)
    staker.started_with -= amount
    stage.tell(f"A stakes {stage.say(amount)}; they warm up until the epoch ends.")

    full = renter.jobs["B, no stake"] = await _rent_and_stop(stage, renter, "B")
    await _share_fees(stage, staker, full)
    half = staker.jobs["A, staked"] = await _rent_and_stop(stage, staker, "A")
    stage.tell(f"  A's fees are {stage.say(half.fees)}, B's were {stage.say(full.fees)}.")

    foreseen = await _rewards(stage, staker, half.listing)
    await staker.market.staking.claim(MARKET_TOKEN)
    staker.started_with += foreseen
    stage.tell(f"A claims {stage.say(foreseen)} of the fees.")
    return [staker, renter]


async def _rent_and_stop(stage: Stage, part: Part, name: str) -> Job:
    job = await part.market.compute(gpu=GPU, duration=SECONDS_PER_HOUR, script=SCRIPT)
    stage.tell(f"{name} rents an H100 PCIe in {job.region} for an hour: [bold]{job.id}[/]")
    await stage.reached(job.id, JobState.RUNNING)
    await stage.pass_seconds(STOP_AFTER, job.listing)
    stopped = await part.market.rental.stop(job.id)
    stage.tell_end(stopped, f"{name} stops")
    return stopped


async def _share_fees(stage: Stage, part: Part, job: Job) -> None:
    """Sweeps the fees and moves the stakers' share to their rewards, unless the keeper was faster."""
    reads = part.market.reads
    for vault in (await reads.vaults(stage.mint)).values():
        for sweep in (part.market.sweep_fees, part.market.staking.sweep):
            with suppress(errors.ZeroAmount):
                await sweep(vault.mint, vault.shard)
    pool = await reads.pool()
    stage.tell(f"Anyone sweeps the fees: {stage.say(pool.rewards[0].held)} go to stakers.")
    await stage.pass_seconds((await reads.market()).epoch_seconds, job.listing)


async def _rewards(stage: Stage, part: Part, listing: Pubkey) -> int:
    """Lets epochs pass until the staker has rewards; returns base units."""
    seconds = (await part.market.reads.market()).epoch_seconds
    for _ in range(EPOCHS):
        owed = (await part.market.staking.get(part.renter)).pending.get(MARKET_TOKEN, 0)
        if owed:
            return owed
        await stage.pass_seconds(seconds, listing)
    raise StartFailed(f"The stake has earned nothing in {EPOCHS} epochs")
