"""What an operator of a host can meet besides the client's own errors."""

from __future__ import annotations

from anchor_client.errors import GpuMarketError


class HostConfigurationError(GpuMarketError):
    """The settings do not make a host's agent."""

    default_remedy = "Check the command's flags: `gpu-market host run --help`."


class OrderRefused(GpuMarketError):
    """An order that this machine cannot run, through the order's own fault."""

    default_remedy = "The renter has to order something else."


class MachineFault(GpuMarketError):
    """The machine, or the container engine on it, does not do what it should."""

    default_remedy = "See to the container engine: `docker info` says whether it runs."
