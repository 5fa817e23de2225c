"""Errors for operators of hosts, in addition to the client's own."""

from __future__ import annotations

from anchor_client.errors import GpuMarketError


class HostConfigurationError(GpuMarketError):
    """Invalid settings of a host's agent."""

    default_remedy = "Check the command's flags: `gpu-market host run --help`."


class OrderUndelivered(GpuMarketError):
    """An order document that has not reached the host in time."""

    default_remedy = "The renter must order again; their client delivers the order to the API."


class OrderRefused(GpuMarketError):
    """An order that this machine cannot run because of the order itself."""

    default_remedy = "The renter must change the order."


class OrderUnwanted(GpuMarketError):
    """An order that this host could run but refuses."""

    default_remedy = "The renter must order from another host."


class MachineFault(GpuMarketError):
    """The machine, or the container engine on it, failed."""

    default_remedy = "Check the container engine: `docker info` shows whether it runs."


class Unproven(MachineFault):
    """A failure of the engine that the order may have caused. A control start decides; before, it is the machine's."""

    def __init__(self, message: str, remedy: str | None = None, *, said: str = "") -> None:
        super().__init__(message, remedy)
        self.said = said or message
        """The engine's own message."""


class ArchiveDamaged(GpuMarketError):
    """A sealed workspace that was changed, or was sealed to another key."""

    default_remedy = "Restore the file from a copy, or ask the renter to order without it."


class WorkspaceTooBig(GpuMarketError):
    """A workspace that exceeds its machine's space."""

    default_remedy = "Raise `gpu-market host run --keep-gb`."
