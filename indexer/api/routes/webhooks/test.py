"""POST /api/webhooks/{id}/test: a notice to try the endpoint with."""

from __future__ import annotations

from sqlalchemy import Connection

from indexer.accounts import deliveries
from indexer.accounts.models import WebhookDelivery
from indexer.accounts.secrets import new_id
from indexer.accounts.webhooks import ring
from indexer.api.errors import ApiError, refusals
from indexer.api.identity.deps import AccountWrite
from indexer.api.routes.webhooks.deliveries import Delivery, told
from indexer.api.routes.webhooks.owner import OwnWebhook, now, webhooks_router
from indexer.api.webhooks.kinds import TEST
from indexer.api.webhooks.notices import ID_PREFIX, body_of, notice

ACCEPTED = 202

router = webhooks_router()


@router.post("/{id}/test", summary="Test a webhook", status_code=ACCEPTED, responses=refusals(401, 404, 409))
async def test_webhook(own: OwnWebhook, write: AccountWrite) -> Delivery:
    """Sends a `webhook.test`, or again the newer of two that wait; GET its delivery to see what came of it."""
    if own.disabled_at is not None:
        raise ApiError(409, "webhook_disabled", f"It is disabled: {own.disabled_reason}.", "Enable it first.")
    body = body_of(TEST, now(), {"webhook": own.id})
    return told(await write(_add, notice(own.id, TEST, ID_PREFIX + new_id(), body, now())))


def _add(connection: Connection, made: WebhookDelivery) -> WebhookDelivery:
    waiting = deliveries.waiting_test(connection, made.endpoint, made.type)
    if waiting is None:
        deliveries.note(connection, [made])
        ring(connection)
        return made
    deliveries.replay(connection, made.endpoint, WebhookDelivery.c.id == waiting.id, made.next_at)
    waiting.next_at = made.next_at
    return waiting
