"""Typer commands from coroutine functions."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, Concatenate, ParamSpec, get_type_hints

import typer

from market_cli.lazy import load
from market_cli.logs import configure_logs
from market_cli.options import COMMON, Flags
from market_cli.session import Session

Parameters = ParamSpec("Parameters")


def acting(command: Callable[Concatenate[Session, Parameters], Awaitable[None]]) -> Callable[..., None]:
    """Makes a typer command of a coroutine function whose first argument is the session.

    An argument whose type is a dataclass stands for the options that are its fields.
    """
    hints = get_type_hints(command, include_extras=True)
    _, *own = inspect.signature(command).parameters.values()
    groups = {name: kind for name, kind in hints.items() if _is_group(kind)}
    defaults = {field.name: field.default for field in fields(Flags)}
    parameters = [
        inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        *(option for parameter in own for option in _options(parameter, hints[parameter.name])),
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
        for name, kind in groups.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        asyncio.run(_act(command, flags, values))

    del run.__wrapped__  # typer would read the coroutine's own signature
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)


def _options(parameter: inspect.Parameter, hint: Any) -> Iterator[inspect.Parameter]:
    if not _is_group(hint):
        yield parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hint)
        return
    for option in inspect.signature(hint).parameters.values():
        yield option.replace(annotation=get_type_hints(hint, include_extras=True)[option.name])


async def _act(command: Callable[..., Awaitable[None]], flags: Flags, values: dict[str, Any]) -> None:
    async with Session(flags) as session:
        if flags.unsigned is None:
            await command(session, **values)
        else:
            await load("market_cli.unsigned:print_unsigned")(session, command(session, **values))
