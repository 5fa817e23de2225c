"""GET /api/rewards/epochs and /api/rewards/epochs/{epoch}: rewards shared between stakers, by epoch."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel
from sqlalchemy import Connection, bindparam, select

from anchor_client.resources.base import Address, BaseUnits, Resource, Tx, about
from indexer.api.deps import CursorText, Limit, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.api.words import AddressText
from indexer.models import EpochReward, RewardStream

router = StrictRouter(prefix="/api/rewards/epochs", tags=["staking"])


class Epoch(Resource):
    """Rewards that one epoch shared in one mint."""

    epoch: int
    mint: Address
    amount: BaseUnits = about(description="Base units of `mint` shared between active stake.")
    active: BaseUnits = about(description="Active stake, base units of the market token.")
    ts: int
    tx: Tx


class EpochPage(BaseModel):
    """A page of epochs' rewards and the next cursor."""

    epochs: list[Epoch]
    next_cursor: NextCursor


EPOCHS = select(
    EpochReward.c.epoch,
    RewardStream.c.mint,
    *(EpochReward.c[name] for name in ("amount", "active", "ts", "tx")),
).join(RewardStream.table, RewardStream.c.number == EpochReward.c.stream)
PAGES = Pages(EPOCHS, {"mint": RewardStream.c.mint == bindparam("mint")}, descending=True)
EPOCH = EPOCHS.where(EpochReward.c.epoch == bindparam("epoch")).order_by(RewardStream.c.mint)


@router.get("", summary="Epochs that shared rewards, newest first", responses=refusals(400, 422))
async def list_epochs(
    read: Read,
    mint: Annotated[AddressText | None, Query(description="Only rewards in this mint.")] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> EpochPage:
    """A page of rewards: one for each epoch and mint."""
    return await read(_page, mint, limit, cursor)


@router.get("/{epoch}", summary="One epoch's rewards", responses=refusals(404, 422))
async def get_epoch(read: Read, epoch: Annotated[int, Path(ge=0, lt=2**63)]) -> EpochPage:
    """Rewards that an epoch shared, in every mint."""
    return await read(_one, epoch)


def _page(connection: Connection, mint: str | None, limit: int, cursor: str | None) -> EpochPage:
    rows, following = PAGES.read(connection, {"mint": mint}, limit=limit, cursor=cursor)
    return EpochPage(epochs=[Epoch.known(**row._mapping) for row in rows], next_cursor=following)


def _one(connection: Connection, epoch: int) -> EpochPage:
    found = [Epoch.known(**row) for row in connection.execute(EPOCH, {"epoch": epoch}).mappings()]
    if not found:
        raise missing("epoch", epoch)
    return EpochPage(epochs=found, next_cursor=None)
