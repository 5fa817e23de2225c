"""GET /api/webhooks/{id}/deliveries: deliveries and their results."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, Field

from anchor_client.service.optional import optional
from indexer.accounts import deliveries
from indexer.accounts.models import WebhookDelivery
from indexer.api.deps import Limit
from indexer.api.errors import missing, refusals
from indexer.api.identity.deps import AccountRead
from indexer.api.pages import NextCursor
from indexer.api.routes.webhooks.owner import OwnWebhook, webhooks_router

DeliveryId = Annotated[str, Path(pattern="^msg_[0-9a-f]{32,40}$", examples=["msg_" + "0" * 40])]
Status = Literal["waiting", "delivered", "failed"]

router = webhooks_router()


class Delivery(BaseModel):
    """A notice and its attempts. Moments are unix seconds."""

    id: str = Field(description="The `webhook-id` of every attempt.")
    type: str = Field(examples=["job.ended"])
    status: Status
    attempts: int
    created_at: int
    last_at: int | None = Field(description="The last attempt.")
    next_at: int | None = Field(description="Time of the next attempt; null if there is none.")
    response: int | None = Field(description="The HTTP status of the last attempt; null without a response.")
    error: str | None = Field(description="Error of the last attempt.")


class DeliveryDetail(Delivery):
    """A notice with its body."""

    body: str = Field(description="JSON body, exactly as signed and sent.")


class DeliveryPage(BaseModel):
    """A page of deliveries and the next cursor."""

    deliveries: list[Delivery]
    next_cursor: NextCursor


@router.get("/{id}/deliveries", summary="A webhook's deliveries, newest first", responses=refusals(401, 404))
async def list_deliveries(
    own: OwnWebhook,
    read: AccountRead,
    status: Annotated[Status | None, Query(description="Only in this state.")] = None,
    limit: Limit = 50,
    cursor: Annotated[str | None, Query(pattern="^[0-9]{1,18}$", description="next_cursor of the page before.")] = None,
) -> DeliveryPage:
    """A page of notices, which are kept for thirty days."""
    found = await read(deliveries.listed, own.id, status, optional(int, cursor), limit + 1)
    page = found[:limit]
    following = str(page[-1].number) if len(found) > limit else None
    return DeliveryPage(deliveries=[told(each) for each in page], next_cursor=following)


@router.get("/{id}/deliveries/{delivery}", summary="One delivery with its body", responses=refusals(401, 404))
async def get_delivery(own: OwnWebhook, delivery: DeliveryId, read: AccountRead) -> DeliveryDetail:
    """A notice with its body and its attempts."""
    found = await read(deliveries.find, own.id, delivery)
    if found is None:
        raise missing("delivery", delivery)
    return DeliveryDetail(**told(found).model_dump(), body=found.body)


def told(delivery: WebhookDelivery) -> Delivery:
    """A notice as the API shows it."""
    named = ("id", "type", "status", "attempts", "last_at", "response", "error")
    return Delivery(
        **{name: getattr(delivery, name) for name in named},
        created_at=delivery.made_at,
        next_at=delivery.next_at if delivery.status == deliveries.WAITING else None,
    )
