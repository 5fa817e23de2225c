"""Prices that are not posted."""

from __future__ import annotations

from enum import StrEnum

from anchor_client.service.errors import GpuMarketError


class Reason(StrEnum):
    """Reasons for which no price is posted."""

    SOURCES = "sources"
    CHANGE = "change"
    CHAIN = "chain"


class SourceFailed(GpuMarketError):
    """A source gives no price, or none that can be read."""

    default_remedy = "Check the source with curl; name others with --sources."


class PriceRefused(GpuMarketError):
    """A price that cannot be believed, so that nothing is posted."""

    default_remedy = "Compare the sources by hand; the last price stays until it is too old for orders."

    def __init__(self, reason: Reason, message: str, remedy: str | None = None) -> None:
        super().__init__(message, remedy)
        self.reason = reason
