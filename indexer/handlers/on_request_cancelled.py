from __future__ import annotations

from anchor_client.generated.events import RequestCancelled
from anchor_client.kinds import RequestState
from indexer.handlers.requests import end_request
from indexer.handlers.step import Step


def on_request_cancelled(event: RequestCancelled, step: Step) -> None:
    """The renter withdraws a request and has its deposit back."""
    end_request(
        step,
        event.request,
        event.seq,
        event.vault_seq,
        RequestState.CANCELLED,
        event.renter,
        event.at,
        event.refunded,
    )
