"""Terms that votes can change besides parameters: payment mints, GPU models and the mints that rewards are paid in."""

from __future__ import annotations

from typing import Self

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import GpuModel, PaymentMint, StakePool
from anchor_client.generated.types import OracleKind
from anchor_client.resources.base import Address, BaseUnits, Resource, about
from anchor_client.rules.catalog import gpu_slug
from anchor_client.rules.stake_pool import reward_mints


class MintTerms(Resource):
    """A payment mint's terms, as a proposal to change them names them."""

    payment_mint: Address = about(description="Its account, which `update_payment_mint` names.")
    mint: Address
    decimals: int
    oracle_kind: str = about(examples=["pinned"], description="Who says what it is worth: pinned, posted or pyth.")
    oracle: Address = about(description="The key that posts its price, or Pyth's feed.")
    enabled: bool
    shards: int = about(description="How many vaults it may have.")
    price: BaseUnits = about(description="Pico-USD per whole token as it stands; 0 until known.")
    max_age: int = about(description="Seconds that a price is good for.")
    subsidy_bps: int
    burn_bps: int
    extra_fee_bps: int
    max_confidence_bps: int = about(description="How unsure of its price Pyth may be.")

    @classmethod
    def of(cls, address: Pubkey, mint: PaymentMint) -> Self:
        """Those of an account."""
        kind = OracleKind(mint.oracle_kind).name.lower()
        return cls.drawn_from(mint, payment_mint=address, oracle_kind=kind, enabled=bool(mint.enabled))


class GpuModelTerms(Resource):
    """The market's terms for one GPU of a model."""

    number: int
    gpu: str = about(description="What listings call it.", examples=["nvidia-h100-pcie-80gb"])
    points: int = about(description="What decides how much hosts lock to reduce the extra fee.")
    reference_usd: int = about(description="Micro-USD per GPU-hour up to which orders are subsidised.")


class MarketTerms(Resource):
    """All of it."""

    payment_mints: tuple[MintTerms, ...]
    gpu_models: tuple[GpuModelTerms, ...]
    reward_mints: tuple[Address, ...]


def market_terms(
    mints: dict[Pubkey, PaymentMint], models: dict[Pubkey, GpuModel], pool: StakePool | None
) -> MarketTerms:
    """The terms in these accounts, in an order that stays."""
    return MarketTerms.known(
        payment_mints=tuple(sorted((MintTerms.of(*each) for each in mints.items()), key=lambda each: each.mint)),
        gpu_models=tuple(
            GpuModelTerms.drawn_from(model, gpu=gpu_slug(model.number))
            for model in sorted(models.values(), key=lambda model: model.number)
        ),
        reward_mints=() if pool is None else tuple(sorted(map(str, reward_mints(pool)))),
    )
