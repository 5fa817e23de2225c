"""GET /api/rewards/pool and /api/rewards/stakes: who has staked, and what it earns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy import Connection, bindparam, func, or_, select

from anchor_client.generated.accounts import StakePool
from anchor_client.rules.stake_pool import earned_floor, from_words
from indexer.api.deps import Chain, Read
from indexer.api.errors import ApiError, refusals
from indexer.api.pages import Pages
from indexer.api.values import AddressText, BaseUnits
from indexer.models import PaymentMint, Stake, StakeReward
from indexer.stakes import holding_of, read_pool, read_rewards
from indexer.status import Status

router = APIRouter(prefix="/api/rewards", tags=["staking"])

_OTHERS = [column for column in Stake.c if column.key not in ("staked_at", "address")]
PAGES = Pages(
    select(Stake.c.staked_at, Stake.c.address, *_OTHERS),
    {"owner": Stake.c.owner == bindparam("owner")},
    descending=True,
)
STAKERS = select(func.count()).where(or_(Stake.c.active > 0, Stake.c.warming > 0, Stake.c.cooling > 0))


class Stream(BaseModel):
    """What stake earns in one mint."""

    mint: str
    decimals: int | None = Field(description="Null for a mint that no order is paid in.")
    sharing: BaseUnits = Field(description="What the running epoch pays at its end on what is active now.")
    queued: BaseUnits = Field(description="What waits for the next epoch.")
    funded: BaseUnits = Field(description="All that ever came in.")
    claimed: BaseUnits = Field(description="All that was ever taken.")


class Pool(BaseModel):
    """All stake, in base units of the market token."""

    mint: str
    decimals: int | None
    epoch: int
    epoch_started_at: int
    epoch_ends_at: int
    stakers: int = Field(description="Wallets with stake in any state.")
    active: BaseUnits = Field(description="Earns in this epoch.")
    warming: BaseUnits = Field(description="Earns from the next.")
    cooling: BaseUnits = Field(description="On its way out.")
    streams: list[Stream]


class Reward(BaseModel):
    """Rewards of one stake in one mint."""

    mint: str
    decimals: int | None
    pending: BaseUnits = Field(description="May be claimed now.")
    coming: BaseUnits = Field(description="What the running epoch pays at its end, if the stake stays.")
    claimed: BaseUnits


class StakeInfo(BaseModel):
    """A wallet's stake, as the program would settle it now."""

    id: str
    owner: str
    active: BaseUnits
    warming: BaseUnits
    warm_at: int | None = Field(description="When what is warming becomes active.")
    cooling: BaseUnits
    cool_at: int | None = Field(description="When what is cooling may be withdrawn.")
    voting_until: int | None = Field(description="Until when votes keep what is active in place; null without one.")
    staked_at: int
    closed_at: int | None = Field(description="When its account was closed; null while there is one.")
    rewards: list[Reward]


class StakePage(BaseModel):
    """Stakes, newest first."""

    stakes: list[StakeInfo]
    next_cursor: str | None


@router.get("/pool", summary="The stake pool: epoch, stake and reward streams", responses=refusals(404))
async def get_pool(read: Read, chain: Chain) -> Pool:
    """The pool with every epoch that is over by now ended."""
    return await read(_pool, chain)


@router.get("/stakes", summary="Stakes with their rewards, newest first", responses=refusals(400, 404, 422))
async def list_stakes(
    read: Read,
    chain: Chain,
    owner: Annotated[AddressText | None, Query(description="Only this wallet's.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(description="next_cursor of the page before.")] = None,
) -> StakePage:
    """A page of stakes. Rewards are what a claim in this moment would pay."""
    return await read(_page, chain, {"owner": owner}, limit, cursor)


def _pool(connection: Connection, chain: Status) -> Pool:
    pool, decimals = _open_pool(connection, chain), _decimals(connection)
    return Pool(
        mint=str(pool.mint),
        decimals=decimals.get(str(pool.mint)),
        epoch=pool.epoch,
        epoch_started_at=pool.epoch_started_at,
        epoch_ends_at=pool.epoch_ends_at,
        stakers=connection.scalar(STAKERS) or 0,
        active=str(pool.active),
        warming=str(pool.warming),
        cooling=str(pool.cooling),
        streams=[
            Stream(
                mint=str(stream.mint),
                decimals=decimals.get(str(stream.mint)),
                sharing=str(earned_floor(pool.active, from_words(stream.acc), from_words(stream.next_acc))),
                queued=str(stream.queued),
                funded=str(stream.funded),
                claimed=str(stream.claimed),
            )
            for stream in pool.rewards[: pool.streams]
        ],
    )


def _page(
    connection: Connection, chain: Status, filters: Mapping[str, object], limit: int, cursor: str | None
) -> StakePage:
    pool, decimals = _open_pool(connection, chain), _decimals(connection)
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    stakes = [Stake(**row._mapping) for row in rows]
    rewards = read_rewards(connection, [stake.address for stake in stakes])
    return StakePage(
        stakes=[_stake(stake, rewards.get(stake.address, {}), pool, decimals, chain.now()) for stake in stakes],
        next_cursor=following,
    )


def _stake(
    stake: Stake, rewards: Mapping[int, StakeReward], pool: StakePool, decimals: Mapping[str, int], at: int
) -> StakeInfo:
    now = holding_of(stake, rewards, pool)
    return StakeInfo(
        id=stake.address,
        owner=stake.owner,
        active=str(now.active),
        warming=str(now.warming),
        warm_at=now.warm_at if now.warming else None,
        cooling=str(now.cooling),
        cool_at=now.cool_at if now.cooling else None,
        voting_until=stake.voting_until if stake.voting_until > at else None,
        staked_at=stake.staked_at,
        closed_at=stake.closed_at,
        rewards=[
            Reward(
                mint=str(stream.mint),
                decimals=decimals.get(str(stream.mint)),
                pending=str(now.owed[number]),
                coming=str(now.coming[number]),
                claimed=str(rewards[number].claimed if number in rewards else 0),
            )
            for number, stream in enumerate(pool.rewards[: pool.streams])
        ],
    )


def _open_pool(connection: Connection, chain: Status) -> StakePool:
    pool = read_pool(connection, chain)
    if pool is None:
        raise ApiError(404, "no_stake_pool", "Staking is not open.", "Come back once the market's authority opens it.")
    return pool


def _decimals(connection: Connection) -> Mapping[str, int]:
    rows = connection.execute(select(PaymentMint.c.mint, PaymentMint.c.decimals))
    return {row.mint: row.decimals for row in rows}
