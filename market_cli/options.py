"""The options of every command, before or after its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from market_cli.lazy import load

PANEL = "Global options"
PROGRAM = "gpu-market"

Rpc = Annotated[
    list[str] | None,
    typer.Option(
        "--rpc",
        metavar="URL",
        help="RPC node; repeat to add nodes that stand in for each other.",
        rich_help_panel=PANEL,
        show_default=False,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="NAME",
        help="localnet, devnet, mainnet or an RPC URL.",
        rich_help_panel=PANEL,
        show_default=False,
    ),
]
KeypairFile = Annotated[
    str | None,
    typer.Option(
        "--keypair", metavar="FILE", help="Key file of the wallet.", rich_help_panel=PANEL, show_default=False
    ),
]
Unsigned = Annotated[
    str | None,
    typer.Option(
        "--unsigned",
        metavar="WALLET",
        help="Send nothing; print the transaction for this wallet to sign elsewhere (multisig, hardware wallet).",
        rich_help_panel=PANEL,
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=PANEL)]
Verbose = Annotated[bool, typer.Option("--verbose", help="Log to standard error.", rich_help_panel=PANEL)]


@dataclass(frozen=True, slots=True)
class Flags:
    """Global options of the command line."""

    rpc: list[str] | None = None
    cluster: str | None = None
    keypair: str | None = None
    unsigned: str | None = None
    json: bool = False
    verbose: bool = False


COMMON: dict[str, Any] = {
    "rpc": Rpc,
    "cluster": Cluster,
    "keypair": KeypairFile,
    "unsigned": Unsigned,
    "json": AsJson,
    "verbose": Verbose,
}
"""An option for each field of Flags."""


def print_version(asked: bool) -> None:
    """Prints the version and exits, when asked to."""
    if asked:
        typer.echo(f"{PROGRAM} {load('importlib.metadata:version')(PROGRAM)}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True)]


def remember(
    context: typer.Context,
    *,
    rpc: Rpc = None,
    cluster: Cluster = None,
    keypair: KeypairFile = None,
    unsigned: Unsigned = None,
    json: AsJson = False,
    verbose: Verbose = False,
    _version: Version = False,
) -> None:
    """Keeps the options before the command's name."""
    context.obj = Flags(rpc, cluster, keypair, unsigned, json, verbose)
