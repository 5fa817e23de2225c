"""Errors for operators of hosts, besides the client's own."""

from __future__ import annotations

from anchor_client.errors import GpuMarketError


class HostConfigurationError(GpuMarketError):
    """Invalid settings of a host's agent."""

    default_remedy = "Check the command's flags: `gpu-market host run --help`."


class OrderUndelivered(GpuMarketError):
    """An order document that has not reached the host in time."""

    default_remedy = "The renter has to order again; their client delivers the order to the API."


class OrderRefused(GpuMarketError):
    """An order that this machine cannot run because of the order itself."""

    default_remedy = "The renter has to order something else."


class OrderUnwanted(GpuMarketError):
    """An order that this host does not take, although it could."""

    default_remedy = "The renter has to order from another host."


class MachineFault(GpuMarketError):
    """The machine, or the container engine on it, failed."""

    default_remedy = "See to the container engine: `docker info` says whether it runs."


class ArchiveDamaged(GpuMarketError):
    """A sealed workspace that is not what was sealed, or was sealed to another key."""

    default_remedy = "Restore the file from a copy, or have the renter order without it."


class WorkspaceTooBig(GpuMarketError):
    """A workspace that its machine has no room to keep."""

    default_remedy = "Keep more by `gpu-market host run --keep-gb`."
