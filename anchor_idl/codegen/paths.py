"""Names of types that an IDL writes with the path of their module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from anchor_idl.codegen.python.names import pascal


def without_paths(data: Mapping[str, Any]) -> dict[str, Any]:
    """The IDL with `kiosk::state::Shelf` as Shelf, or as StateShelf where another type is a Shelf too."""
    written = dict.fromkeys(
        str(entry["name"])
        for key in ("types", "accounts", "events")
        for entry in data.get(key) or ()
        if isinstance(entry, Mapping) and "name" in entry
    )
    names = _short_names(written)
    renamed: dict[str, Any] = _renamed(data, names)
    for key in ("types", "accounts", "events"):
        if key in renamed:
            renamed[key] = [
                {**entry, "name": names.get(str(entry["name"]), entry["name"])}
                if isinstance(entry, Mapping) and "name" in entry
                else entry
                for entry in renamed[key] or ()
            ]
    return renamed


def _short_names(written: Iterable[str]) -> dict[str, str]:
    """Each name with as many parts of its path, from the end, as no other name shares."""
    paths = [name.split("::") for name in written]
    endings = Counter("::".join(path[-length:]) for path in paths for length in range(1, len(path) + 1))
    short = {}
    for path in paths:
        lengths = range(1, len(path) + 1)
        length = next((each for each in lengths if endings["::".join(path[-each:])] == 1), len(path))
        short["::".join(path)] = "".join(map(pascal, path[-length:-1])) + path[-1]
    return short


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    match value:
        case {"defined": {"name": str(name)} as defined}:
            inner = {key: _renamed(each, names) for key, each in defined.items()}
            return {"defined": {**inner, "name": names.get(name, name)}}
        case {"kind": "account", "account": str(name)}:
            return {**value, "account": names.get(name, name)}
        case Mapping():
            return {key: _renamed(each, names) for key, each in value.items()}
        case list():
            return [_renamed(each, names) for each in value]
    return value
