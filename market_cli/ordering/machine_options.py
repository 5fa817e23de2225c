"""The options that say which machine is wanted, for every command that looks for one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Final

import typer

from anchor_client.service.optional import optional
from market_cli.commands.arguments import MACHINE
from market_cli.completion import complete_free_gpu, complete_region
from market_cli.units import driver

INDEXED: Final = ("verified", "min_driver", "min_tflops", "min_disk_mbps", "min_network_mbps")
"""Needs that only the market's API can judge, by the names of its filters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineOptions:
    """The machine that a command looks for, as typed."""

    gpu: Annotated[
        str | None,
        typer.Option(
            "--gpu",
            help="GPU model: its id as listed by `gpus`, or a name that fits one model, such as 4090 or 'h100 pcie'.",
            autocompletion=complete_free_gpu,
            rich_help_panel=MACHINE,
            show_default=False,
        ),
    ] = None
    gpus: Annotated[
        int | None, typer.Option("--gpus", min=1, max=255, help="Exact number of GPUs.", rich_help_panel=MACHINE)
    ] = None
    region: Annotated[
        str | None,
        typer.Option(
            "--region",
            help="Only in this region, such as eu-west.",
            autocompletion=complete_region,
            rich_help_panel=MACHINE,
            show_default=False,
        ),
    ] = None
    min_vram: Annotated[
        int,
        typer.Option("--min-vram", min=0, max=65_535, help="Minimum VRAM of each GPU, in GB.", rich_help_panel=MACHINE),
    ] = 0
    min_score: Annotated[
        str, typer.Option("--min-score", help="Minimum host reputation, in percent.", rich_help_panel=MACHINE)
    ] = "0"
    verified: Annotated[
        bool,
        typer.Option(
            "--verified",
            help="Only machines with at least an hour of paid use and no later report; like the following, needs the "
            "market's API.",
            rich_help_panel=MACHINE,
        ),
    ] = False
    min_driver: Annotated[
        str | None,
        typer.Option(
            "--min-driver",
            metavar="VERSION",
            help="Minimum driver version, as measured by the host.",
            rich_help_panel=MACHINE,
            show_default=False,
        ),
    ] = None
    min_tflops: Annotated[
        int | None,
        typer.Option(
            "--min-tflops", min=0, help="Minimum FP32 of each GPU, as measured by the host.", rich_help_panel=MACHINE
        ),
    ] = None
    min_disk_mbps: Annotated[
        int | None,
        typer.Option(
            "--min-disk-mbps",
            min=0,
            help="Minimum disk write speed in MB/s, as measured by the host.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    min_network_mbps: Annotated[
        int | None,
        typer.Option(
            "--min-network-mbps",
            min=0,
            help="Minimum download speed in Mbit/s, as measured by the host.",
            rich_help_panel=MACHINE,
        ),
    ] = None

    @property
    def are_given(self) -> bool:
        """True where a machine is described at all."""
        return any(getattr(self, field.name) != field.default for field in fields(MachineOptions))

    @property
    def indexed(self) -> Mapping[str, str]:
        """Filters of the market's API for the needs that only it can judge. BadOption."""
        given = {name: getattr(self, name) for name in INDEXED} | {"min_driver": optional(driver, self.min_driver)}
        said = {name: value for name, value in given.items() if value is not None and value is not False}
        return {name: "true" if value is True else str(value) for name, value in said.items()}
