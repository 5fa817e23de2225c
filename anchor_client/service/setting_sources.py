"""Values of settings from their sources: flags override the environment, which overrides the settings file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Generic, TypeVar

from anchor_client.service.errors import BadSetting
from anchor_client.service.settings import Settings, declared, is_required, parsed, variable

S = TypeVar("S", bound=Settings)
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Sources:
    """Values that each source sets, by name. `of_cluster` are a profile's settings, whose sources are `origins`."""

    flags: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    section: Mapping[str, object] = field(default_factory=dict)
    file: str = "the settings file"
    of_cluster: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Resolved(Generic[S]):
    """Settings, and the source of each."""

    settings: S
    origins: Mapping[str, str]

    def rows(self) -> list[tuple[str, str, str]]:
        """Name, value without secrets, and source of each."""
        return [
            (name, about.say(getattr(self.settings, name)), self.origins[name])
            for name, about in declared(type(self.settings)).items()
        ]


def read(kind: type[S], sources: Sources) -> Resolved[S]:
    """The settings of a service. BadSetting for an unknown name in the file, a missing or an invalid value."""
    own = [name for name, about in declared(kind).items() if not about.of_cluster]
    for name in sources.section:
        if name not in own:
            raise unknown(f"{sources.file} sets {name!r} of {kind.SECTION}", name, own)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name, about in declared(kind).items():
        origins[name], value, where = _found(kind, name, sources)
        if value is not None:
            values[name] = parsed(name, about, value, where)
        elif is_required(kind, name):
            raise BadSetting(
                f"The setting {name} is missing",
                f"Pass {about.flags(name)}, or set {variable(kind, name)} or `{name}` of {kind.SECTION} in the file.",
            )
    return Resolved(kind(**values), origins)


def require_known_variables(environment: Collection[str], prefix: str, known: Collection[str]) -> None:
    """Raises BadSetting for a variable that begins with the prefix and sets nothing."""
    for name in environment:
        if name.startswith(prefix) and name not in known:
            raise unknown(f"The environment sets {name}", name, known)


def unknown(says: str, name: str, known: Collection[str]) -> BadSetting:
    """Error for an unknown setting, with the nearest known name."""
    near = get_close_matches(name, known, n=1)
    remedy = f"Did you mean {near[0]}?" if near else "Remove it; docs/settings.md lists all settings."
    return BadSetting(f"{says}, which is not a known setting", remedy)


def _found(kind: type[Settings], name: str, sources: Sources) -> tuple[str, Any, str]:
    """The source of a setting, its value, and the place to correct it."""
    about = declared(kind)[name]
    if about.of_cluster:
        value = sources.of_cluster.get(name)
        return (DEFAULT if value is None else sources.origins.get(name, DEFAULT)), value, f"`{name}`"
    if sources.flags.get(name) is not None:
        return "flag", sources.flags[name], f"{about.flags(name)}"
    if of_environment := sources.environment.get(variable(kind, name)):
        return "environment", of_environment, variable(kind, name)
    if name in sources.section:
        return "file", sources.section[name], f"`{name}` of {kind.SECTION} in {sources.file}"
    return DEFAULT, None, ""
