"""Holdings of a vault: twin of `programs/gpu_market/src/state/vault.rs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anchor_client.generated.accounts import Vault


def held(vault: Vault) -> int:
    """Base units that the vault's token account holds at least."""
    return vault.liabilities + vault.fees_due + vault.stakers_due + vault.treasury_due + vault.subsidy_pool
