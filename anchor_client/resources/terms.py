"""Votable terms other than parameters: payment mints, GPU models and reward mints."""

from __future__ import annotations

from typing import Self

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import GpuModel, PaymentMint, StakePool
from anchor_client.generated.types import OracleKind
from anchor_client.resources.base import Address, BaseUnits, Resource, about
from anchor_client.rules.catalog import gpu_slug
from anchor_client.rules.stake_pool import reward_mints


class MintTerms(Resource):
    """A payment mint's terms, with the field names of a proposal to change them."""

    payment_mint: Address = about(description="Its account, as named in `update_payment_mint`.")
    mint: Address
    decimals: int
    oracle_kind: str = about(
        examples=["pinned"], description="Source of its price: pinned, posted, pyth or pyth_upgraded."
    )
    oracle: Address = about(description="The oracle key that posts its price, or Pyth's feed.")
    enabled: bool
    shards: int = about(description="Maximum number of vaults.")
    price: BaseUnits = about(description="Current price in pico-USD per whole token; 0 until known.")
    max_age: int = about(description="Maximum age of a price, seconds.")
    subsidy_bps: int
    burn_bps: int
    extra_fee_bps: int
    max_confidence_bps: int = about(description="Maximum uncertainty of a Pyth price.")

    @classmethod
    def of(cls, address: Pubkey, mint: PaymentMint) -> Self:
        """The terms in an account."""
        kind = OracleKind(mint.oracle_kind).name.lower()
        return cls.drawn_from(mint, payment_mint=address, oracle_kind=kind, enabled=bool(mint.enabled))


class GpuModelTerms(Resource):
    """The market's terms for one GPU of a model."""

    number: int
    gpu: str = about(description="The model's name in listings.", examples=["nvidia-h100-pcie-80gb"])
    points: int = about(description="GPU points, the measure for hosts' lock against the extra fee.")
    reference_usd: int = about(
        description="Reference price in micro-USD per GPU-hour, up to which orders are subsidised."
    )


class MarketTerms(Resource):
    """All votable terms."""

    payment_mints: tuple[MintTerms, ...]
    gpu_models: tuple[GpuModelTerms, ...]
    reward_mints: tuple[Address, ...]


def market_terms(
    mints: dict[Pubkey, PaymentMint], models: dict[Pubkey, GpuModel], pool: StakePool | None
) -> MarketTerms:
    """The terms in these accounts, in a stable order."""
    return MarketTerms.known(
        payment_mints=tuple(sorted((MintTerms.of(*each) for each in mints.items()), key=lambda each: each.mint)),
        gpu_models=tuple(
            GpuModelTerms.drawn_from(model, gpu=gpu_slug(model.number))
            for model in sorted(models.values(), key=lambda model: model.number)
        ),
        reward_mints=() if pool is None else tuple(sorted(map(str, reward_mints(pool)))),
    )
