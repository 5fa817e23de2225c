"""The options that every command takes, before its name or after."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import fields, replace
from importlib.metadata import version
from typing import Annotated, Any, Concatenate, ParamSpec, get_type_hints

import typer

from market_cli.logs import configure_logs
from market_cli.session import Session
from market_cli.settings import Flags

PANEL = "Everywhere"
Parameters = ParamSpec("Parameters")

Rpc = Annotated[
    str | None, typer.Option("--rpc", metavar="URL", help="RPC node to use.", rich_help_panel=PANEL, show_default=False)
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="NAME",
        help="localnet, devnet, mainnet or a URL.",
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
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.", rich_help_panel=PANEL)]
Verbose = Annotated[bool, typer.Option("--verbose", help="Log what happens on standard error.", rich_help_panel=PANEL)]

PROGRAM = "gpu-market"


def print_version(asked: bool) -> None:
    """Prints the version and ends, when asked to."""
    if asked:
        typer.echo(f"{PROGRAM} {version(PROGRAM)}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True)]

COMMON: dict[str, Any] = {"rpc": Rpc, "cluster": Cluster, "keypair": KeypairFile, "json": AsJson, "verbose": Verbose}


def remember(
    context: typer.Context,
    *,
    rpc: Rpc = None,
    cluster: Cluster = None,
    keypair: KeypairFile = None,
    json: AsJson = False,
    verbose: Verbose = False,
    _version: Version = False,
) -> None:
    """Keeps the options that stand before the command's name."""
    context.obj = Flags(rpc, cluster, keypair, json, verbose)


def acting(
    command: Callable[Concatenate[Session, Parameters], Awaitable[None]],
) -> Callable[..., None]:
    """Makes a typer command of a coroutine function whose first argument is the session."""
    hints = get_type_hints(command, include_extras=True)
    _, *own = inspect.signature(command).parameters.values()
    defaults = {field.name: field.default for field in fields(Flags)}
    parameters = [
        inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        *(parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hints[parameter.name]) for parameter in own),
        *(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=annotation)
            for name, annotation in COMMON.items()
        ),
    ]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        before: Flags = values.pop("context").find_root().obj
        given = {name: values.pop(name) for name in COMMON}
        flags = replace(before, **{name: value for name, value in given.items() if value})
        configure_logs(verbose=flags.verbose)
        asyncio.run(_act(command, flags, values))

    del run.__wrapped__  # typer would read the coroutine's own signature
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


async def _act(command: Callable[..., Awaitable[None]], flags: Flags, values: dict[str, Any]) -> None:
    async with Session(flags) as session:
        await command(session, **values)
