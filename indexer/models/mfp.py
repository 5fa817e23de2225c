"""GPU points and locked market tokens."""

from __future__ import annotations

from sqlmodel import Field

from indexer.models.base import U64, Address, Count, Entity, Projection, table


@table()
class Catalog(Entity):
    """Keeper of GPU points and of the market tokens that hosts have locked, in base units."""

    mint: Address
    token_account: Address
    locked: U64 = 0


@table()
class GpuPoints(Projection):
    """Points of one GPU of a model, by the model's number."""

    model: Count = Field(primary_key=True)
    points: Count
    changed_at: Count
