"""A wallet's stake and what it earns."""

from __future__ import annotations

from collections.abc import Sequence

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import StakePool
from anchor_client.resources.base import Address, BaseUnits, Resource, about
from anchor_client.rules.stake_account import Holding


class StakeReward(Resource):
    """Rewards of one stake in one mint."""

    mint: Address
    token: str | None = about(default=None, description="The mint's symbol, where it is configured.")
    decimals: int | None = about(description="Null for a mint that no order is paid in.")
    pending: BaseUnits = about(description="May be claimed now.")
    coming: BaseUnits = about(description="What the running epoch pays at its end, if the stake stays.")
    claimed: BaseUnits | None = about(default=None, description="Claimed so far; only the index adds it up.")


class Stake(Resource):
    """A wallet's stake in base units of the market token, as the program would settle it now."""

    id: Address = about(description="Address of the stake account.")
    owner: Address
    epoch: int
    epoch_ends_at: int
    active: BaseUnits
    warming: BaseUnits
    warm_at: int | None = about(description="When what is warming up becomes active.")
    cooling: BaseUnits
    cool_at: int | None = about(description="When what is cooling down may be withdrawn.")
    withdrawable: BaseUnits = about(description="What has cooled down.")
    voting_until: int | None = about(description="Until when votes lock what is active; null without one.")
    staked_at: int | None = about(default=None, description="When it first staked; only the index knows.")
    closed_at: int | None = about(default=None, description="When its account was closed; null while there is one.")
    rewards: tuple[StakeReward, ...]

    @property
    def pending(self) -> dict[str, int]:
        """Rewards that may be claimed now, base units by the mint's symbol; zero left out."""
        return {reward.token or str(reward.mint): reward.pending for reward in self.rewards if reward.pending}

    @property
    def coming(self) -> dict[str, int]:
        """Rewards that the running epoch pays at its end, in the same form."""
        return {reward.token or str(reward.mint): reward.coming for reward in self.rewards if reward.coming}


def stake_of(
    holding: Holding,
    pool: StakePool,
    *,
    id: Pubkey | str,
    owner: Pubkey | str,
    now: int,
    rewards: Sequence[StakeReward],
    staked_at: int | None = None,
    closed_at: int | None = None,
) -> Stake:
    """A wallet's stake against an up-to-date pool at `now`."""
    return Stake.drawn_from(
        holding,
        id=id,
        owner=owner,
        epoch=pool.epoch,
        epoch_ends_at=pool.epoch_ends_at,
        warm_at=holding.warm_at if holding.warming else None,
        cool_at=holding.cool_at if holding.cooling else None,
        withdrawable=holding.withdrawable(now),
        voting_until=holding.voting_until if holding.voting_until > now else None,
        staked_at=staked_at,
        closed_at=closed_at,
        rewards=tuple(rewards),
    )
