"""Holdings of a vault, and the division of its fees: twin of `programs/gpu_market/src/state/vault.rs` and of
`instructions/market/sweep_fees.rs`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anchor_client.rules.math import share_floor

if TYPE_CHECKING:
    from anchor_client.generated.accounts import Market, Vault


@dataclass(frozen=True, slots=True)
class SweptFees:
    """Division of the fees that are due in a vault, in base units."""

    burned: int
    stakers: int
    treasury: int


def swept(vault: Vault, market: Market) -> SweptFees:
    """Division of a vault's fees if they are swept now: the market token alone is burned, the treasury has the rest."""
    burned = share_floor(vault.fees_due, market.fee_burn_bps) if vault.mint == market.market_mint else 0
    stakers = share_floor(vault.fees_due, market.fee_stakers_bps)
    return SweptFees(burned, stakers, vault.fees_due - burned - stakers)


def held(vault: Vault) -> int:
    """Base units that the vault's token account holds at least."""
    return vault.liabilities + vault.fees_due + vault.stakers_due + vault.treasury_due + vault.subsidy_pool
