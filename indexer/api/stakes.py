"""Stake and rewards as the program would settle them now, from the tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from solders.pubkey import Pubkey
from sqlalchemy import Connection, select

from anchor_client.generated.accounts import StakeAccount, StakePool
from anchor_client.generated.types import RewardStream, WarmUp
from anchor_client.rules.stake_account import WARM_UPS, PresentStake, holding
from anchor_client.rules.stake_pool import STREAMS, advanced, to_words
from indexer import models
from indexer.status import Status

DEFAULT_EPOCH_SECONDS = 86_400
"""The program's initial value; the market's own value is used once the chain has been seen."""

_NO_STREAM = RewardStream(
    mint=Pubkey.default(),
    token_account=Pubkey.default(),
    acc=(0, 0),
    next_acc=(0, 0),
    queued=0,
    held=0,
    funded=0,
    claimed=0,
)


def read_pool(connection: Connection, status: Status) -> StakePool | None:
    """The pool with every epoch boundary up to now passed; None before staking opens."""
    row = connection.execute(select(models.StakePool.table)).mappings().first()
    if row is None:
        return None
    found = select(models.RewardStream.table).order_by(models.RewardStream.c.number)
    rows = connection.execute(found).mappings()
    streams = [_stream(models.RewardStream(**stream)) for stream in rows]
    pool = StakePool(
        version=1,
        bump=0,
        streams=len(streams),
        reserved_flags=bytes(5),
        mint=Pubkey.from_string(row["mint"]),
        token_account=Pubkey.from_string(row["token_account"]),
        seq=row["seq"],
        epoch=row["epoch"],
        epoch_started_at=row["epoch_started_at"],
        epoch_ends_at=row["epoch_ends_at"],
        active=row["active"],
        warming=row["warming"],
        cooling=row["cooling"],
        rewards=(*streams, *[_NO_STREAM] * (STREAMS - len(streams))),
        reserved=bytes(64),
    )
    if status.market is None:
        seconds = DEFAULT_EPOCH_SECONDS
    else:
        seconds = status.market.epoch_seconds
    return advanced(pool, status.now(), seconds)


def read_rewards(connection: Connection, stakes: Iterable[str]) -> Mapping[str, Mapping[int, models.StakeReward]]:
    """Known rewards of each stake, by address and stream."""
    found: defaultdict[str, dict[int, models.StakeReward]] = defaultdict(dict)
    for row in connection.execute(
        select(models.StakeReward.table).where(models.StakeReward.c.stake.in_(list(stakes)))
    ).mappings():
        found[row["stake"]][row["stream"]] = models.StakeReward(**row)
    return found


def holding_of(stake: models.Stake, rewards: Mapping[int, models.StakeReward], pool: StakePool) -> PresentStake:
    """A stake against an up-to-date pool."""
    known = [rewards.get(number) for number in range(STREAMS)]
    return holding(
        StakeAccount(
            version=1,
            bump=0,
            reserved_flags=bytes(6),
            owner=Pubkey.from_string(stake.owner),
            seq=stake.seq,
            active=stake.active,
            warming=stake.warming,
            cooling=stake.cooling,
            warm_at=stake.warm_at,
            cool_at=stake.cool_at,
            voting_until=stake.voting_until,
            checkpoints=tuple(to_words(0 if row is None else row.checkpoint) for row in known),
            warm_checkpoints=tuple(to_words(0 if row is None else row.warm_checkpoint) for row in known),
            owed=tuple(0 if row is None else row.owed for row in known),
            warm_ups=(WarmUp(amount=0, at=0),) * WARM_UPS,
            proposal=Pubkey.default(),
            next_proposal=0,
        ),
        pool,
    )


def _stream(row: models.RewardStream) -> RewardStream:
    return RewardStream(
        mint=Pubkey.from_string(row.mint),
        token_account=Pubkey.from_string(row.token_account),
        acc=to_words(row.acc),
        next_acc=to_words(row.next_acc),
        queued=row.queued,
        held=row.funded - row.claimed,
        funded=row.funded,
        claimed=row.claimed,
    )
