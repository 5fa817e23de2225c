"""Requests for any machine of a kind."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.events import RequestCancelled, RequestExpired, RequestMatched, RequestOpened
from anchor_client.kinds import RequestState, kind_name
from indexer.index.handlers.ledger import change_ledger, vault_of
from indexer.index.handlers.step import Step, on
from indexer.models import Renter, Request


@on(RequestOpened)
def on_request_opened(event: RequestOpened, step: Step) -> None:
    """A renter escrows an order for whichever machine fits."""
    order = event.order
    vault = vault_of(str(event.mint), event.shard, step.program)
    change_ledger(step, vault, event.vault_seq, liabilities=order.deposit, total_deposited=order.deposit)
    renter = step.rows.change(Renter, str(event.renter))
    if renter is not None:
        renter.next_nonce = event.nonce + 1
    step.open(
        Request,
        event.request,
        event,
        order,
        kind=kind_name(order.kind),
        status=RequestState.OPEN.value,
        created_at=event.at,
        open_tx=step.signature,
    )


@on(RequestMatched)
def on_request_matched(event: RequestMatched, step: Step) -> None:
    """A machine is found; the rental that opens in the same transaction takes its deposit from the request's."""
    request = _end(event, step, RequestState.MATCHED, event.matched_by, deposited=event.refunded - event.held)
    if request is not None:
        request.rental = str(event.rental)
        request.listing = str(event.listing)


@on(RequestCancelled)
def on_request_cancelled(event: RequestCancelled, step: Step) -> None:
    """The renter withdraws a request and has its deposit back."""
    _end(event, step, RequestState.CANCELLED, event.renter)


@on(RequestExpired)
def on_request_expired(event: RequestExpired, step: Step) -> None:
    """No machine was found in time; the deposit goes back."""
    _end(event, step, RequestState.EXPIRED, event.expired_by)


def _end(
    event: RequestMatched | RequestCancelled | RequestExpired,
    step: Step,
    state: RequestState,
    by: Pubkey,
    *,
    deposited: int = 0,
) -> Request | None:
    """The request as it ended, refunded by its vault; None when its beginning was missed."""
    ended = {"status": state.value, "ended_at": event.at, "close_tx": step.signature, "finalized_by": str(by)}
    request = step.change(Request, event.request, event.seq, refunded=event.refunded, **ended)
    if request is None:
        return None
    change_ledger(
        step,
        vault_of(request.mint, request.shard, step.program),
        event.vault_seq,
        liabilities=-request.deposit,
        total_refunded=event.refunded,
        total_deposited=deposited,
    )
    return request
