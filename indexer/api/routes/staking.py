"""GET /api/rewards/pool and /api/rewards/stakes: stakes and their rewards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import Connection, bindparam, func, or_, select

from anchor_client.generated.accounts import StakePool
from anchor_client.resources.base import Address, BaseUnits, Resource, about
from anchor_client.resources.stake import Stake, StakeReward, stake_of
from anchor_client.rules.stake_pool import earned_floor, from_words
from indexer.api.deps import Chain, CursorText, Limit, Read
from indexer.api.errors import ApiError, missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.api.stakes import holding_of, read_pool, read_rewards
from indexer.api.words import AddressText
from indexer.models import PaymentMint
from indexer.models import Stake as StakeRow
from indexer.models import StakeReward as RewardRow
from indexer.status import Status

router = StrictRouter(prefix="/api/rewards", tags=["staking"])

PAGES = Pages(
    select(
        StakeRow.c.staked_at,
        StakeRow.c.address,
        *(column for column in StakeRow.c if column.key not in ("staked_at", "address")),
    ),
    {"owner": StakeRow.c.owner == bindparam("owner")},
    descending=True,
)
STAKERS = select(func.count()).where(or_(StakeRow.c.active > 0, StakeRow.c.warming > 0, StakeRow.c.cooling > 0))


class Stream(Resource):
    """Rewards of stake in one mint."""

    mint: Address
    decimals: int | None = about(description="Null for a mint that is not a payment mint.")
    sharing: BaseUnits = about(description="Reward of the running epoch at its end, on the currently active stake.")
    queued: BaseUnits = about(description="Rewards that wait for the next epoch.")
    funded: BaseUnits = about(description="Total of rewards received.")
    claimed: BaseUnits = about(description="Total of rewards claimed.")


class Pool(Resource):
    """All stake, in base units of the market token."""

    mint: Address
    decimals: int | None
    epoch: int
    epoch_started_at: int
    epoch_ends_at: int
    stakers: int = about(description="Wallets with stake in any state.")
    active: BaseUnits = about(description="Earns in this epoch.")
    warming: BaseUnits = about(description="Earns from the next epoch on.")
    cooling: BaseUnits = about(description="Cooling down.")
    streams: tuple[Stream, ...]


class StakePage(BaseModel):
    """Stakes, newest first."""

    stakes: list[Stake]
    next_cursor: NextCursor


@router.get("/pool", summary="The stake pool: epoch, stake and reward streams", responses=refusals(404))
async def get_pool(read: Read, chain: Chain) -> Pool:
    """The pool, settled up to now."""
    return await read(_pool, chain)


@router.get("/stakes", summary="Stakes with their rewards, newest first", responses=refusals(400, 404, 422))
async def list_stakes(
    read: Read,
    chain: Chain,
    owner: Annotated[AddressText | None, Query(description="Only this wallet's.")] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> StakePage:
    """A page of stakes. Rewards are the amounts that a claim would pay now."""
    return await read(_page, chain, {"owner": owner}, limit, cursor)


@router.get("/stakes/{owner}", summary="One wallet's stake", responses=refusals(404, 422))
async def get_stake(read: Read, chain: Chain, owner: AddressText) -> Stake:
    """A wallet's stake with its rewards."""
    page = await read(_page, chain, {"owner": owner}, 1, None)
    if not page.stakes:
        raise missing("stake", owner)
    return page.stakes[0]


def _pool(connection: Connection, chain: Status) -> Pool:
    pool = _open_pool(connection, chain)
    decimals = _decimals(connection)
    return Pool.drawn_from(
        pool,
        decimals=decimals.get(str(pool.mint)),
        stakers=connection.scalar(STAKERS) or 0,
        streams=tuple(
            Stream.drawn_from(
                stream,
                decimals=decimals.get(str(stream.mint)),
                sharing=earned_floor(pool.active, from_words(stream.acc), from_words(stream.next_acc)),
            )
            for stream in pool.rewards[: pool.streams]
        ),
    )


def _page(
    connection: Connection, chain: Status, filters: Mapping[str, object], limit: int, cursor: str | None
) -> StakePage:
    pool = _open_pool(connection, chain)
    decimals = _decimals(connection)
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    stakes = [StakeRow(**row._mapping) for row in rows]
    rewards = read_rewards(connection, [stake.address for stake in stakes])
    return StakePage(
        stakes=[_stake(stake, rewards.get(stake.address, {}), pool, decimals, chain.now()) for stake in stakes],
        next_cursor=following,
    )


def _stake(
    stake: StakeRow, rewards: Mapping[int, RewardRow], pool: StakePool, decimals: Mapping[str, int], now: int
) -> Stake:
    holding = holding_of(stake, rewards, pool)
    return stake_of(
        holding,
        pool,
        id=stake.address,
        owner=stake.owner,
        now=now,
        staked_at=stake.staked_at,
        closed_at=stake.closed_at,
        rewards=[
            StakeReward.known(
                mint=stream.mint,
                decimals=decimals.get(str(stream.mint)),
                pending=holding.owed[number],
                coming=holding.coming[number],
                claimed=rewards[number].claimed if number in rewards else 0,
            )
            for number, stream in enumerate(pool.rewards[: pool.streams])
        ],
    )


def _open_pool(connection: Connection, chain: Status) -> StakePool:
    pool = read_pool(connection, chain)
    if pool is None:
        raise ApiError(
            404, "no_stake_pool", "Staking is not open.", "Try again once the market's authority has opened it."
        )
    return pool


def _decimals(connection: Connection) -> Mapping[str, int]:
    rows = connection.execute(select(PaymentMint.c.mint, PaymentMint.c.decimals))
    return {row.mint: row.decimals for row in rows}
