from __future__ import annotations

from anchor_client.generated.events import RequestMatched
from anchor_client.kinds import RequestState
from indexer.handlers.requests import end_request
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add


def on_request_matched(event: RequestMatched, step: Step) -> None:
    """A machine is found; the rental that opens in the same transaction takes its deposit from the request's."""
    found = end_request(
        step,
        event.request,
        event.seq,
        event.vault_seq,
        RequestState.MATCHED,
        event.matched_by,
        event.at,
        event.refunded,
    )
    if found is None:
        return
    request, vault = found
    request.rental = str(event.rental)
    request.listing = str(event.listing)
    if vault is not None:
        vault.total_deposited = wrapping_add(vault.total_deposited, -event.deposit)
