"""Rewards that leave a stream for their staker."""

from __future__ import annotations

from anchor_client.generated.events import RewardsClaimed, RewardsCompounded
from indexer.handlers.stakes import reward_of
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import RewardClaim, RewardStream


def enter_claim(event: RewardsClaimed | RewardsCompounded, step: Step, *, compounded: bool) -> None:
    """Counts a claim in its stream and for its stake, and keeps it."""
    stream = step.rows.change(RewardStream, event.stream)
    if stream is not None:
        stream.claimed = wrapping_add(stream.claimed, event.amount)
    reward = reward_of(step, str(event.stake), event.stream)
    reward.claimed = wrapping_add(reward.claimed, event.amount)
    step.rows.add(
        RewardClaim(
            stake=str(event.stake),
            seq=event.seq,
            stream=event.stream,
            amount=event.amount,
            compounded=compounded,
            at=event.at,
            signature=step.signature,
        )
    )
