"""The catalog of GPU models, and locked market tokens."""

from __future__ import annotations

from sqlmodel import Field

from indexer.models.base import U64, Address, Count, Entity, table


@table()
class Catalog(Entity):
    """The catalog, which keeps the market tokens that hosts have locked, in base units."""

    mint: Address
    token_account: Address
    locked: U64 = 0


@table()
class GpuModel(Entity):
    """Catalog entry of a model, for one GPU."""

    number: Count = Field(index=True)
    points: Count
    reference_usd: Count
    """Micro-USD per GPU-hour up to which prices are subsidised."""
    changed_at: Count
