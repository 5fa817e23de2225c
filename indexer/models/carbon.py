"""Basis of carbon figures: GPU-seconds of ended rentals by the month in UTC, a number as 202611."""

from __future__ import annotations

from sqlmodel import Field

from indexer.models.base import U64, Address, Count, Projection, table


@table()
class GpuUse(Projection):
    """Use by ended rentals in a month, by model and region."""

    month: Count = Field(primary_key=True)
    gpu_model: Count = Field(primary_key=True)
    region: Count = Field(primary_key=True)
    gpu_seconds: U64


@table()
class WalletGpuUse(Projection):
    """The same for one wallet."""

    wallet: Address = Field(primary_key=True)
    month: Count = Field(primary_key=True)
    gpu_model: Count = Field(primary_key=True)
    region: Count = Field(primary_key=True)
    gpu_seconds: U64
