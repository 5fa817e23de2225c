"""Options of `gpu-market host run` that limit the accepted renters and images."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from market_cli.lazy import load

if TYPE_CHECKING:
    from host_agent.block_list import BlockList
    from host_agent.images import ImageRules

PANEL: Final = "Orders"


@dataclass(frozen=True, kw_only=True)
class HostPolicy:
    """Operator's rules for orders, as options."""

    max_image_gb: Annotated[
        float | None,
        typer.Option(
            "--max-image-gb",
            min=0.001,
            help="Largest image of an order, unpacked.",
            show_default="the listed disk size",
            rich_help_panel=PANEL,
        ),
    ] = None
    pull_timeout: Annotated[
        str, typer.Option("--pull-timeout", help="Longest time to fetch an image, such as 30m.", rich_help_panel=PANEL)
    ] = "30m"
    registry: Annotated[
        list[str] | None,
        typer.Option(
            "--registry",
            metavar="NAME",
            help="Registry that images may come from, such as docker.io; repeatable.",
            show_default="any",
            rich_help_panel=PANEL,
        ),
    ] = None
    runtime: Annotated[
        str | None,
        typer.Option(
            "--runtime",
            metavar="NAME",
            help="The engine's runtime for orders, such as runsc (gVisor) or kata-runtime.",
            show_default="the engine's",
            rich_help_panel=PANEL,
        ),
    ] = None
    block: Annotated[
        list[str] | None,
        typer.Option(
            "--block",
            metavar="WALLET",
            help="Renter whose orders are refused; repeatable.",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None
    block_file: Annotated[
        Path | None,
        typer.Option(
            "--block-file",
            help="File of blocked wallets, one on each line; reread for each order.",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None
    abuse_contact: Annotated[
        str | None,
        typer.Option(
            "--abuse-contact",
            help="Address for renters' abuse reports; shown with the connection.",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None

    def images(self) -> ImageRules:
        """Rules for fetched images. BadDuration."""
        most = None
        if self.max_image_gb is not None:
            most = round(self.max_image_gb * load("host_agent.images:GB"))
        rules: type[ImageRules] = load("host_agent.images:ImageRules")
        seconds: int = load("market_cli.units:parse_duration")(self.pull_timeout)
        return rules(most, seconds, tuple(self.registry or ()))

    def blocked(self) -> BlockList:
        """Wallets whose orders are refused. BadAddress."""
        block_list: type[BlockList] = load("host_agent.block_list:BlockList")
        return block_list(
            frozenset(map(load("anchor_client.solana.wallet:parse_address"), self.block or ())), self.block_file
        )
