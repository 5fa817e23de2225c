"""Figures that hosts have measured of their machines."""

from __future__ import annotations

from sqlmodel import Field

from indexer.models.base import Address, Count, Record, Signature, Word, table


@table()
class MachineFigures(Record):
    """A machine's figures as its operator has signed them. They are not part of the index: `rebuild` keeps them.

    They count while the listing is of their `spec_version`.
    """

    listing: Address = Field(primary_key=True)
    spec_version: Count
    signed_at: Count
    """Milliseconds, by the host's clock."""
    signature: Signature
    tested: bool = False
    driver: Word | None = None
    driver_rank: Count | None = None
    pcie_generation: Count | None = None
    pcie_width: Count | None = None
    fp32_gflops: Count | None = None
    gemm_gflops: Count | None = None
    vram_mb_per_second: Count | None = None
    pcie_mb_per_second: Count | None = None
    disk_mbps: Count | None = None
    network_mbps: Count | None = None
