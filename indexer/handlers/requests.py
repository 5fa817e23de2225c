"""What the steps of a request share: its deposit in the vault's ledger, and its end."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_vault
from anchor_client.kinds import RequestState
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import Request, Vault


def change_vault(step: Step, mint: Pubkey, shard: int, seq: int) -> Vault | None:
    """The vault at its next number; None when its beginning was missed."""
    address = find_vault(mint, shard)[0]
    vault = step.rows.change(Vault, str(address))
    if vault is None:
        step.unknown("vault", address, seq)
        return None
    vault.seq = step.follow("vault", address, vault.seq, seq)
    return vault


def end_request(
    step: Step, address: Pubkey, seq: int, vault_seq: int, state: RequestState, by: Pubkey, at: int, refunded: int
) -> tuple[Request, Vault | None] | None:
    """The request as it ended and the vault that gives its refund back; None when its beginning was missed."""
    request = step.rows.change(Request, str(address))
    if request is None:
        step.unknown("request", address, seq)
        return None
    request.seq = step.follow("request", address, request.seq, seq)
    request.status = state.value
    request.ended_at = at
    request.end_signature = step.signature
    request.ended_by = str(by)
    request.refunded = refunded
    vault = change_vault(step, Pubkey.from_string(request.mint), request.shard, vault_seq)
    if vault is not None:
        vault.liabilities = wrapping_add(vault.liabilities, -request.deposit)
        vault.total_refunded = wrapping_add(vault.total_refunded, refunded)
    return request, vault
