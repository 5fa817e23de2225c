"""Settings of services, each declared once: a dataclass of `setting` fields that derives from `Settings`.

A setting's name in the settings file is the field's, in the environment PREFIX and the name in capitals, and as a flag
the name with dashes. A command's options, their help and docs/settings.md all come from the declaration; help reads it,
so it imports nothing but the standard library.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Final

from anchor_client.service.errors import BadSetting, GpuMarketError
from anchor_client.service.log_format import LogFormat
from anchor_client.service.redaction import HIDDEN, redact
from anchor_client.service.setting_kinds import POSITIVE, SWITCH, URL, URL_OF_ANY_SCHEME, SettingKind, choice

REQUIRED: Final = MISSING
"""Default of a setting that has none."""
PREFIX: Final = "GPU_MARKET_"
_LINK: Final = re.compile(r"\[([^]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Setting:
    """Declaration of a setting."""

    kind: SettingKind
    flag: str | None
    """None for the name with dashes."""
    shown: str
    """Description of a default that is not a value."""
    panel: str | None
    """Heading in the help."""
    is_secret: bool
    """True if it is never printed; a URL is printed without its keys."""
    of_cluster: bool
    """True if it is a setting of the cluster's profile, for all commands: no flag or section of the service has it."""

    def flags(self, name: str) -> str | None:
        """The flag; None for a setting of the cluster, and for a secret, which the process list would show."""
        if self.of_cluster or (self.is_secret and self.flag is None):
            return None
        flag = self.flag or f"--{name.replace('_', '-')}"
        return f"{flag}/--no-{flag[2:]}" if self.kind is SWITCH else flag

    def say(self, value: Any) -> str:
        """A value as text, without secrets."""
        text = said(value)
        if self.is_secret and text:
            return redact(text) if "://" in text else HIDDEN
        return text


def setting(
    default: Any,
    kind: SettingKind,
    panel: str | None = None,
    *,
    flag: str | None = None,
    shown: str = "",
    secret: bool = False,
    of_cluster: bool = False,
) -> Any:
    """A field of a settings class, whose docstring is its help. A callable default makes the default."""
    about = Setting(kind, flag, shown, panel, secret, of_cluster)
    made: dict[str, Any] = {"default_factory": default} if callable(default) else {"default": default}
    return field(repr=not secret, metadata={Setting: about}, **made)


class Settings:
    """Base of settings classes; a value that is not valid raises BadSetting when one is made."""

    SECTION: ClassVar[str]
    """Table in a cluster's profile."""
    PREFIX: ClassVar[str] = PREFIX
    CLUSTER: ClassVar[str | None] = None
    """Cluster whose profile has the table; None for the one in use."""

    def __post_init__(self) -> None:
        for name, about in declared(type(self)).items():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, parsed(name, about, value, f"the setting {name}"))
        self.require_consistent()

    def require_consistent(self) -> None:
        """Checks settings against each other. BadSetting."""


@dataclass(frozen=True, kw_only=True)
class ServiceSettings(Settings):
    """Settings of every service."""

    rpc_url: str = setting("http://127.0.0.1:8899", URL, secret=True, of_cluster=True)
    """URL of an RPC node, or several separated by commas, which stand in for each other."""
    rpc_rate: float | None = setting(None, POSITIVE, of_cluster=True)
    """Maximum calls per second to each node."""
    ws_url: str | None = setting(None, URL_OF_ANY_SCHEME, secret=True, of_cluster=True)
    """URL of its WebSocket; by default the RPC URL, on the next port if it names one."""
    log_format: LogFormat | None = setting(None, choice(LogFormat), shown="console on a terminal, else json")
    """Format of the log: json or console."""


def declared(kind: type[Settings]) -> Mapping[str, Setting]:
    """The settings of a class by name."""
    return {each.name: each.metadata[Setting] for each in _fields(kind) if Setting in each.metadata}


def meanings(kind: type[Settings]) -> dict[str, str]:
    """The docstrings of a class's settings, from its source; Markdown."""
    found: dict[str, str] = {}
    for base in kind.__mro__[:-1]:
        tree = ast.parse(Path(sys.modules[base.__module__].__file__ or "").read_text("utf-8"))
        [body] = [node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == base.__name__]
        for field_, doc in pairwise(body):
            if isinstance(field_, ast.AnnAssign) and isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant):
                found.setdefault(ast.unparse(field_.target), " ".join(str(doc.value.value).split()))
    return found


def without_links(text: str) -> str:
    """Markdown as plain text."""
    return _LINK.sub(r"\1", text)


def default_of(kind: type[Settings], name: str) -> Any:
    """A setting's default; None for a required one."""
    [found] = [each for each in _fields(kind) if each.name == name]
    if found.default_factory is not MISSING:
        return found.default_factory()
    return None if found.default is MISSING else found.default


def is_required(kind: type[Settings], name: str) -> bool:
    """True if a setting has no default."""
    return any(each.name == name and each.default is each.default_factory for each in _fields(kind))


def variable(kind: type[Settings], name: str) -> str:
    """A setting's name in the environment."""
    return (PREFIX if declared(kind)[name].of_cluster else kind.PREFIX) + name.upper()


def parsed(name: str, about: Setting, value: Any, where: str) -> Any:
    """The value of a setting, from the source that `where` names. BadSetting, which does not repeat the value."""
    try:
        return about.kind.parse(value)
    except GpuMarketError:
        raise
    except (ValueError, TypeError) as error:
        raise BadSetting(f"The setting {name} is not valid: {error}", f"Correct {where}.") from None


def said(value: Any) -> str:
    """A value as it is written; empty for no value."""
    if isinstance(value, Mapping):
        return json.dumps({str(key): str(each) for key, each in value.items()}) if value else ""
    if isinstance(value, tuple | list | set | frozenset):
        return " ".join(sorted(map(str, value)) if isinstance(value, set | frozenset) else map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return str(value.value)
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _fields(kind: type[Settings]) -> tuple[Field[Any], ...]:
    return fields(kind)  # type: ignore[arg-type]  # every settings class is a dataclass
