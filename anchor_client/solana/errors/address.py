"""Errors of addresses."""

from __future__ import annotations

from anchor_client.service.errors import GpuMarketError


class BadAddress(GpuMarketError):
    """The text is not a base58 address of 32 bytes."""

    default_remedy = "Copy the whole address; it has 32 to 44 letters and digits, without 0, O, I and l."
