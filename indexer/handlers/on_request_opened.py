from __future__ import annotations

from anchor_client.generated.events import RequestOpened
from anchor_client.kinds import RequestState, kind_name
from indexer.handlers.requests import change_vault
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import Renter, Request


def on_request_opened(event: RequestOpened, step: Step) -> None:
    """A renter escrows an order for whichever machine fits."""
    order = event.order
    vault = change_vault(step, event.mint, event.shard, event.vault_seq)
    if vault is not None:
        vault.liabilities = wrapping_add(vault.liabilities, order.deposit)
        vault.total_deposited = wrapping_add(vault.total_deposited, order.deposit)
    renter = step.rows.change(Renter, str(event.renter))
    if renter is not None:
        renter.next_nonce = event.nonce + 1
    step.rows.add(
        Request(
            address=str(event.request),
            renter=str(event.renter),
            mint=str(event.mint),
            shard=event.shard,
            nonce=event.nonce,
            kind=kind_name(order.kind),
            status=RequestState.OPEN.value,
            gpu_model=order.gpu_model,
            gpu_count=order.gpu_count,
            regions=order.regions,
            near_region=order.near_region,
            min_score_bps=order.min_score_bps,
            duration=order.duration,
            max_usd=order.max_usd,
            deposit=order.deposit,
            order_hash=order.order_hash.hex(),
            tip_lamports=event.tip_lamports,
            opened_at=event.at,
            expires_at=order.expires_at,
            open_signature=step.signature,
            seq=step.follow("request", event.request, 0, event.seq),
        )
    )
