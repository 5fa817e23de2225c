"""Sums modulo 2^64, and the vaults' ledgers that are kept in them."""

from __future__ import annotations

from functools import lru_cache

from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_vault
from anchor_client.rules.subsidy import day
from indexer.index.handlers.step import Step
from indexer.models import Vault

U64_RANGE = 1 << 64


def wrapping_add(total: int, amount: int) -> int:
    """A sum modulo 2^64. Lifetime totals count so on chain; the others only while events are missing."""
    return (total + amount) % U64_RANGE


@lru_cache(maxsize=1_024)
def vault_of(mint: str, shard: int, program: Pubkey) -> str:
    """The address of a mint's vault in a program's market."""
    return str(find_vault(Pubkey.from_string(mint), shard, program)[0])


def change_ledger(step: Step, vault: str, seq: int, **amounts: int) -> Vault | None:
    """Adds amounts to the sums of the same names in a vault's ledger; None when the vault's beginning was missed."""
    ledger = step.change(Vault, vault, seq)
    if ledger is not None:
        for name, amount in amounts.items():
            setattr(ledger, name, wrapping_add(getattr(ledger, name), amount))
    return ledger


def draw_subsidy(ledger: Vault | None, amount: int, at: int) -> None:
    """A subsidy that `change_ledger` has taken out of a vault's pool counts for its day."""
    if ledger is None or amount == 0:
        return
    today = day(at)
    drawn = ledger.subsidy_drawn if ledger.subsidy_day == today else 0
    ledger.subsidy_drawn, ledger.subsidy_day = drawn + amount, today


def return_subsidy(ledger: Vault | None, amount: int, at: int) -> None:
    """A subsidy that has returned to a vault's pool may leave it again on its day."""
    if ledger is not None and ledger.subsidy_day == day(at):
        ledger.subsidy_drawn = max(ledger.subsidy_drawn - amount, 0)
