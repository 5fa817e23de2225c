"""One attempt: resolve, check what was found, connect to that and no other, post, and look at the status alone."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from http import HTTPStatus

from standardwebhooks import Webhook

from anchor_client.solana.http.answer import HttpAnswer, HttpFailure
from anchor_client.solana.http.dialing import dial_one_of
from anchor_client.solana.http.request import request_of
from anchor_client.solana.json_rpc.refusals import seconds_told
from indexer.accounts.deliveries import JITTER, QUICK_SECONDS, DeliveryOutcome, Waiting
from indexer.api.webhooks.addresses import AddressRefused, Resolve, check_places, checked_url

CONNECT_SECONDS = 5.0
ATTEMPT_SECONDS = 15.0
"""Of all of it, to an endpoint that has not lately answered within QUICK_SECONDS."""
MOST_ANSWER_BYTES = 16 * 1024
"""Status and headers; what follows them is not read."""
MOST_RETRY_AFTER = 86_400.0
REDIRECTS = range(HTTPStatus.MULTIPLE_CHOICES, HTTPStatus.BAD_REQUEST)


async def attempt(waiting: Waiting, resolve: Resolve, *, private: bool) -> DeliveryOutcome:
    """Sends a notice, and says what came of it. With `private` also to http URLs and addresses of this network."""
    begun = time.monotonic()
    outcome = await _tried(waiting, resolve, private)
    return replace(outcome, seconds=time.monotonic() - begun)


async def _tried(waiting: Waiting, resolve: Resolve, private: bool) -> DeliveryOutcome:
    try:
        async with asyncio.timeout(QUICK_SECONDS if waiting.is_quick else ATTEMPT_SECONDS):
            answer = await _post(waiting, resolve, private)
    except TimeoutError:
        if waiting.is_quick:
            return replace(_outcome(waiting, None, "it does not answer within a second"), is_cut=True)
        return _outcome(waiting, None, "it does not answer in time")
    except (HttpFailure, AddressRefused) as failure:
        return _outcome(waiting, None, str(failure))
    except OSError:
        return _outcome(waiting, None, "its name cannot be resolved")
    if answer.is_success:
        return _outcome(waiting, answer, None)
    if answer.status in REDIRECTS:
        return _outcome(waiting, answer, f"it answers with HTTP status {answer.status}; redirects are not followed")
    return _outcome(waiting, answer, f"it answers with HTTP status {answer.status}")


def signed(id: str, body: str, secrets: Sequence[str], at: datetime) -> dict[str, str]:
    """The headers of Standard Webhooks, with a signature by each secret."""
    signatures = [Webhook(secret).sign(id, at, body) for secret in secrets]
    return {
        "webhook-id": id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


async def _post(waiting: Waiting, resolve: Resolve, private: bool) -> HttpAnswer:
    address = checked_url(waiting.url, private=private)
    # Resolved once, and connected to what was checked: a name that changes in between (DNS rebinding) gains nothing.
    places = await resolve(address.host, address.port)
    if not private:
        check_places(places)
    headers = signed(waiting.id, waiting.body, waiting.secrets, datetime.fromtimestamp(time.time(), UTC))
    request = request_of(address, "POST", body=waiting.body.encode(), headers=headers | {"Connection": "close"})
    connection = await dial_one_of(address, places, CONNECT_SECONDS, MOST_ANSWER_BYTES)
    try:
        # The body is of no use, and could be endless.
        return await connection.ask(request, ATTEMPT_SECONDS, head_only=True)
    finally:
        connection.close()


def _outcome(waiting: Waiting, answer: HttpAnswer | None, error: str | None) -> DeliveryOutcome:
    response = None
    retry_after = 0.0
    if answer is not None:
        response = answer.status
        retry_after = min(max(seconds_told(answer.retry_after) or 0.0, 0.0), MOST_RETRY_AFTER)
    return DeliveryOutcome(
        id=waiting.id,
        endpoint=waiting.endpoint,
        response=response,
        error=error,
        retry_after=retry_after,
        spread=random.uniform(1 - JITTER, 1 + JITTER),
    )
