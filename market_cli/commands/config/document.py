"""The settings file as a document: changed in memory, written whole."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from anchor_client.service.private_files import replace_file
from market_cli.errors import BadConfiguration
from market_cli.paths import config_file
from market_cli.settings.cluster import PROFILES

Table = dict[str, object]


def profile_in(document: Table, cluster: str) -> Table:
    """The profile of a cluster, added if missing. BadConfiguration."""
    profiles = document.setdefault(PROFILES, {})
    if not isinstance(profiles, dict):
        raise BadConfiguration(f"{config_file()}: {PROFILES} is not a table")
    profile = profiles.setdefault(cluster, {})
    if not isinstance(profile, dict):
        raise BadConfiguration(f"{config_file()}: {PROFILES}.{cluster} is not a table")
    return profile


def section_in(profile: Table, name: str) -> Table:
    """A table of a profile, added if missing. BadConfiguration."""
    section = profile.setdefault(name, {})
    if not isinstance(section, dict):
        raise BadConfiguration(f"{config_file()}: {name} is not a table")
    return section


def write_document(document: Table) -> Path:
    """Writes the settings file, and returns its path. BadConfiguration for a document that could not be read again."""
    file = config_file()
    try:
        content = ("\n".join(_lines(document)).lstrip("\n") + "\n").encode()
        tomllib.loads(content.decode())
    except (TypeError, ValueError) as error:
        why = "a text is not UTF-8" if isinstance(error, UnicodeError) else str(error)
        raise BadConfiguration(f"{file} cannot be written: {why}", "Use another value.") from error
    replace_file(file, content)
    return file


def _lines(table: Table, *path: str) -> list[str]:
    """TOML of strings, numbers, lists and tables."""
    values = {key: value for key, value in table.items() if not isinstance(value, dict)}
    lines = [f"[{'.'.join(map(_key, path))}]"] if path and values else []
    lines += [f"{_key(key)} = {_value(value)}" for key, value in values.items()]
    for key, value in table.items():
        if isinstance(value, dict) and value:
            lines += ["", *_lines(value, *path, key)]
    return lines


def _key(key: str) -> str:
    return key if key.replace("_", "a").isalnum() and key.isascii() else _value(key)


def _value(value: object) -> str:
    """A string, a number or a list of these. TOML is JSON in this, but it has no surrogates and escapes U+007F."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
