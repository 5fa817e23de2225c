"""Typer commands from coroutine functions.

A command is written once, as a coroutine of the session and its own options. Typer makes options of the parameters
that a function says it has, so the function that typer sees says more than the coroutine does: the global options that
every command takes, and for an argument that is a dataclass the options that are its fields. Settings of a service are
such an argument too; what no flag says of them is read from the environment and the settings file. Commands are not
imported before they are called (`lazy`), because importing all of them takes longer than most of them run: help reads
the signature from the source, as nothing that typer or click offers describes a command without importing it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, get_args, get_type_hints

import typer

from market_cli.lazy import load
from market_cli.options import COMMON, Flags

if TYPE_CHECKING:
    from market_cli.session import CliSession
    from market_cli.settings.options import SettingsArgument

Parameters = ParamSpec("Parameters")


def acting(command: Callable[Concatenate[CliSession, Parameters], Awaitable[None]]) -> Callable[..., None]:
    """Turns a coroutine function whose first argument is the session into a typer command. An argument whose type is a
    dataclass stands for the options that are its fields.
    """
    hints = _hints(command)
    groups = {name: kind for name, kind in hints.items() if _is_group(kind)}
    settings = next((_settings(name, hint) for name, hint in hints.items() if _is_settings(hint)), None)

    def run(**values: Any) -> None:
        before: Flags = values.pop("context").find_root().obj
        given = {name: values.pop(name) for name in COMMON}
        flags = replace(before, **{name: value for name, value in given.items() if value})
        load("market_cli.logs:configure_logs")(verbose=flags.verbose)
        for name, kind in groups.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        load("asyncio:run")(_act(command, flags, values, settings))

    return _taking(command, run)


def deferred(signature: Callable[..., Any], target: str) -> Callable[..., None]:
    """Returns the command at `module:name` from its signature alone; the call imports it."""

    def run(**values: Any) -> None:
        load(target)(**values)

    return _taking(signature, run)


def _taking(command: Callable[..., Any], run: Callable[..., None]) -> Callable[..., None]:
    """Returns `run` with a command's arguments except its session, plus the global options and the context."""
    hints = _hints(command)
    _, *own = inspect.signature(command).parameters.values()
    defaults = {field.name: field.default for field in fields(Flags)}
    parameters = [
        inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        *(option for parameter in own for option in _options(parameter, hints[parameter.name])),
        *(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=annotation)
            for name, annotation in COMMON.items()
        ),
    ]
    functools.update_wrapper(run, command)
    del run.__wrapped__  # type: ignore[attr-defined]  # typer would read the coroutine's own signature
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _hints(command: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(command, include_extras=True)


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint) and not _is_settings(hint)


def _is_settings(hint: Any) -> bool:
    return hasattr((get_args(hint) or (hint,))[0], "SECTION")


def _settings(name: str, hint: Any) -> SettingsArgument:
    argument: SettingsArgument = load("market_cli.settings.options:SettingsArgument").of(name, hint)
    return argument


def _options(parameter: inspect.Parameter, hint: Any) -> Iterator[inspect.Parameter]:
    if _is_settings(hint):
        yield from _settings(parameter.name, hint).options()
        return
    if not _is_group(hint):
        yield parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hint)
        return
    for option in inspect.signature(hint).parameters.values():
        yield option.replace(annotation=get_type_hints(hint, include_extras=True)[option.name])


async def _act(
    command: Callable[..., Awaitable[None]], flags: Flags, values: dict[str, Any], settings: SettingsArgument | None
) -> None:
    session: CliSession = load("market_cli.session:CliSession")(flags)
    async with session:
        if settings is not None:
            given = {name: value for name in settings.only if (value := values.pop(name)) not in (None, [])}
            resolved = load("market_cli.settings.service:read_settings")(session, settings.kind, given)
            if values.pop("print_settings"):
                load("market_cli.settings.service:print_settings")(session, resolved)
                return
            values[settings.name] = resolved.settings
        if flags.unsigned is None:
            await command(session, **values)
        else:
            await load("market_cli.signing.unsigned:print_unsigned")(session, command(session, **values))
