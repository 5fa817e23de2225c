"""Access to the calling wallet's own webhooks."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import Depends, Path

from indexer.accounts import webhooks
from indexer.accounts.models import Webhook
from indexer.api.errors import missing
from indexer.api.http.strict import StrictRouter
from indexer.api.identity.deps import BY_KEY, BY_TOKEN, AccountRead, ActingIdentity
from indexer.api.routes.auth.tokens import no_store

PREFIX = "/api/webhooks"
WebhookId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", examples=["0" * 32])]


def webhooks_router() -> StrictRouter:
    """For a signed-in wallet, or an API key with the scope."""
    return StrictRouter(prefix=PREFIX, tags=["webhooks"], dependencies=[BY_TOKEN, BY_KEY, Depends(no_store)])


async def _own(id: WebhookId, identity: ActingIdentity, read: AccountRead) -> Webhook:
    found = await read(webhooks.find, identity.wallet, id)
    if found is None:
        raise missing("webhook", id)
    return found


OwnWebhook = Annotated[Webhook, Depends(_own)]


def now() -> int:
    """The computer's clock, unix seconds."""
    return int(time.time())
