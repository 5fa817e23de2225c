"""A wallet's stake and its rewards."""

from __future__ import annotations

from collections.abc import Sequence

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import StakePool
from anchor_client.resources.base import Address, BaseUnits, Resource, about
from anchor_client.rules.stake_account import PresentStake


class StakeReward(Resource):
    """Rewards of one stake in one mint."""

    mint: Address
    token: str | None = about(default=None, description="The mint's symbol, if configured.")
    decimals: int | None = about(description="Null for a mint that is not a payment mint.")
    pending: BaseUnits = about(description="Claimable now.")
    coming: BaseUnits = about(description="Reward of the running epoch at its end, if the stake stays.")
    claimed: BaseUnits | None = about(default=None, description="Total claimed; only the index has it.")


class Stake(Resource):
    """A wallet's stake in base units of the market token, settled up to now."""

    id: Address = about(description="Address of the stake account.")
    owner: Address
    epoch: int
    epoch_ends_at: int
    active: BaseUnits
    warming: BaseUnits
    warm_at: int | None = about(description="Time when warming stake becomes active.")
    cooling: BaseUnits
    cool_at: int | None = about(description="Time when cooling stake becomes withdrawable.")
    withdrawable: BaseUnits = about(description="Cooled-down stake.")
    voting_until: int | None = about(description="End of the votes' lock on active stake; null without one.")
    staked_at: int | None = about(default=None, description="Time of its first stake; only from the index.")
    closed_at: int | None = about(
        default=None, description="Time of its account's closing; null while the account exists."
    )
    rewards: tuple[StakeReward, ...]

    @property
    def pending(self) -> dict[str, int]:
        """Claimable rewards, base units by the mint's symbol, without zeros."""
        return {reward.token or str(reward.mint): reward.pending for reward in self.rewards if reward.pending}

    @property
    def coming(self) -> dict[str, int]:
        """Rewards of the running epoch at its end, in the same form."""
        return {reward.token or str(reward.mint): reward.coming for reward in self.rewards if reward.coming}


def stake_of(
    holding: PresentStake,
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
