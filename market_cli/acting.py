"""Typer commands from coroutine functions."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import fields, replace
from typing import Any, Concatenate, ParamSpec, get_type_hints

import typer

from market_cli.logs import configure_logs
from market_cli.options import COMMON, Flags
from market_cli.session import Session

Parameters = ParamSpec("Parameters")


def acting(command: Callable[Concatenate[Session, Parameters], Awaitable[None]]) -> Callable[..., None]:
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
