"""Errors of the market's API."""

from __future__ import annotations

from typing import Final

from anchor_client.service.errors import GpuMarketError


class UnreachableApi(GpuMarketError):
    """The market's API does not answer."""

    default_remedy = (
        "Check the network and the URL: `gpu-market config set api_url URL`; on a laptop `gpu-market up` starts an API."
    )


class WrongApi(GpuMarketError):
    """The server at the URL is not a market's API."""

    default_remedy = "Set the URL of the market's API: `gpu-market config set api_url URL`."


class ApiRefused(GpuMarketError):
    """The market's API refused a request, by `name`; message and remedy are its own."""

    def __init__(self, message: str, name: str, remedy: str | None = None) -> None:
        super().__init__(message, remedy)
        self.name = name


API_FAILURES: Final = (UnreachableApi, WrongApi, ApiRefused)
"""Every failure of the market's API."""
