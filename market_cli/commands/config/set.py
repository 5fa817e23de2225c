"""`gpu-market config set`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from anchor_client.redaction import redact
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.errors import BadConfiguration
from market_cli.paths import config_file
from market_cli.session import Session
from market_cli.settings import KEYS, TABLES, read_document

IN_TABLES = [f"{table}.SYMBOL" for table in TABLES]


@acting
async def set_(
    session: Session,
    key: Annotated[str, typer.Argument(help=f"{', '.join([*KEYS, *IN_TABLES])}; the latter are addresses.")],
    value: Annotated[str, typer.Argument(help="New value; an empty one removes the setting.")],
) -> None:
    """Change a setting in the file."""
    document = read_document()
    name, _, symbol = key.partition(".")
    if name in TABLES and symbol:
        addresses = document.setdefault(name, {})
        if not isinstance(addresses, dict):
            raise BadConfiguration(f"{config_file()}: {name} is not a table")
        _put(addresses, symbol, str(parse_address(value)) if value else "")
    elif key in KEYS:
        _put(document, key, value)
    else:
        raise BadConfiguration(f"{key!r} is not a setting", f"Choose one of: {', '.join([*KEYS, *IN_TABLES])}.")
    file = config_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_toml(document), "utf-8")
    told = redact(value) if "://" in value else value
    session.out.show({"file": str(file), key: told}, f"{key} = {told}  ({file})")


def _put(settings: dict[str, object], key: str, value: str) -> None:
    settings.pop(key, None)
    if value:
        settings[key] = value


def _toml(document: dict[str, object]) -> str:
    """TOML of strings and tables of strings; a JSON string is a TOML string."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in document.items() if not isinstance(value, dict)]
    for name, values in document.items():
        if isinstance(values, dict) and values:
            lines += ["", f"[{name}]", *(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"
