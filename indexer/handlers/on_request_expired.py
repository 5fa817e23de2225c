from __future__ import annotations

from anchor_client.generated.events import RequestExpired
from anchor_client.kinds import RequestState
from indexer.handlers.requests import end_request
from indexer.handlers.step import Step


def on_request_expired(event: RequestExpired, step: Step) -> None:
    """No machine was found in time; the deposit goes back."""
    end_request(
        step,
        event.request,
        event.seq,
        event.vault_seq,
        RequestState.EXPIRED,
        event.expired_by,
        event.at,
        event.refunded,
    )
