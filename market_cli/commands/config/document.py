"""The settings file as a document: changed in memory, written whole."""

from __future__ import annotations

import json
from pathlib import Path

from anchor_client.service.private_files import replace_file
from market_cli.errors import BadConfiguration
from market_cli.paths import config_file
from market_cli.settings import PROFILES

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
    """Writes the settings file, and returns its path."""
    file = config_file()
    replace_file(file, ("\n".join(_lines(document)).lstrip("\n") + "\n").encode())
    return file


def _lines(table: Table, *path: str) -> list[str]:
    """TOML of strings, numbers, lists and tables. JSON of the first three is valid TOML."""
    values = {key: value for key, value in table.items() if not isinstance(value, dict)}
    lines = [f"[{'.'.join(map(_key, path))}]"] if path and values else []
    lines += [f"{_key(key)} = {json.dumps(value)}" for key, value in values.items()]
    for key, value in table.items():
        if isinstance(value, dict) and value:
            lines += ["", *_lines(value, *path, key)]
    return lines


def _key(key: str) -> str:
    return key if key.replace("_", "a").isalnum() and key.isascii() else json.dumps(key)
