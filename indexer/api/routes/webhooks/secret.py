"""POST /api/webhooks/{id}/secret: another secret."""

from __future__ import annotations

from indexer.accounts import webhooks
from indexer.accounts.webhooks import new_signing_secret
from indexer.api.errors import missing, refusals
from indexer.api.identity.deps import AccountWrite
from indexer.api.routes.webhooks.endpoints import CreatedWebhook, told
from indexer.api.routes.webhooks.owner import OwnWebhook, now, webhooks_router

router = webhooks_router()


@router.post("/{id}/secret", summary="Rotate a webhook's secret", responses=refusals(401, 404))
async def rotate_secret(own: OwnWebhook, write: AccountWrite) -> CreatedWebhook:
    """A new secret. For a day notices are signed with the old one too."""
    secret = new_signing_secret()
    rotated = await write(webhooks.rotate, own.wallet, own.id, secret, now())
    if rotated is None:
        raise missing("webhook", own.id)
    return CreatedWebhook(**told(rotated).model_dump(), secret=secret)
