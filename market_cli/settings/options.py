"""Options of a command from the declaration of a service's settings."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, get_args

import typer

from anchor_client.service.setting_kinds import SWITCH
from anchor_client.service.settings import Settings, declared, default_of, meanings, said, without_links

PRINT = "print_settings"
PrintSettings = Annotated[bool, typer.Option("--print-settings", help="Print each setting with its source, and exit.")]


@dataclass(frozen=True, slots=True)
class SettingsArgument:
    """Argument of a command that is a service's settings, of which some have flags."""

    name: str
    kind: type[Settings]
    only: Collection[str]

    @classmethod
    def of(cls, name: str, hint: Any) -> SettingsArgument:
        """Reads the argument's type: a settings class, or `Annotated[CLASS, NAMES]` for fewer flags."""
        kind, *named = get_args(hint) or (hint,)
        known = named[0] if named else declared(kind)
        return cls(name, kind, [each for each in known if declared(kind)[each].flags(each)])

    def options(self) -> Iterator[inspect.Parameter]:
        """An option for each of the settings."""
        told = meanings(self.kind)
        for name in self.only:
            yield inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=self._option(name, told[name])
            )
        yield inspect.Parameter(PRINT, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=PrintSettings)

    def _option(self, name: str, meaning: str) -> Any:
        about = declared(self.kind)[name]
        option = about.kind.option
        shown = about.shown or ("" if about.kind is SWITCH else said(default_of(self.kind, name)))
        made = typer.Option(
            about.flags(name),
            metavar=about.kind.metavar or None,
            help=without_links(meaning),
            show_default=shown or False,
            rich_help_panel=about.panel,
        )
        return Annotated[option if option is not str else str | None, made]
