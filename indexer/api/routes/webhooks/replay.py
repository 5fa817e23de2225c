"""POST /api/webhooks/{id}/replay: sends notices again."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import ColumnElement

from indexer.accounts import deliveries
from indexer.accounts.models import WebhookDelivery
from indexer.api.errors import missing, refusals
from indexer.api.identity.deps import AccountWrite
from indexer.api.routes.webhooks.deliveries import DeliveryId
from indexer.api.routes.webhooks.owner import OwnWebhook, now, webhooks_router

router = webhooks_router()


class Replay(BaseModel):
    """Selection of the notices to send again."""

    model_config = ConfigDict(extra="forbid")

    since: Annotated[int, Field(ge=0, le=2**53, description="Those made at this moment or later, unix seconds.")]
    failed_only: bool = Field(default=False, description="Only those that were given up.")


class Replayed(BaseModel):
    """Number of notices that are sent again."""

    replayed: int


@router.post("/{id}/replay", summary="Replay deliveries since a moment", responses=refusals(401, 404))
async def replay_since(asked: Replay, own: OwnWebhook, write: AccountWrite) -> Replayed:
    """Sends notices again, by the same ids and with the same bodies; those that wait are sent now."""
    which: ColumnElement[bool] = WebhookDelivery.c.made_at >= asked.since
    if asked.failed_only:
        which &= WebhookDelivery.c.status == deliveries.FAILED
    return Replayed(replayed=await write(deliveries.replay, own.id, which, now()))


@router.post("/{id}/deliveries/{delivery}/replay", summary="Replay one delivery", responses=refusals(401, 404))
async def replay_one(own: OwnWebhook, delivery: DeliveryId, write: AccountWrite) -> Replayed:
    """Sends a notice again, by the same id and with the same body."""
    replayed = await write(deliveries.replay, own.id, WebhookDelivery.c.id == delivery, now())
    if not replayed:
        raise missing("delivery", delivery)
    return Replayed(replayed=replayed)
