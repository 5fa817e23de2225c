"""`gpu-market config set`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from anchor_client.service.redaction import redact
from anchor_client.solana.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.config.document import profile_in, write_document
from market_cli.errors import BadConfiguration
from market_cli.paths import config_file
from market_cli.session import CliSession
from market_cli.setting_keys import IN_TABLES, IN_USE, KEYS, TABLES
from market_cli.settings import PROFILES, check_setting, read_document


@acting
async def set_(
    session: CliSession,
    key: Annotated[str, typer.Argument(help=f"{', '.join([*KEYS, *IN_TABLES])}; the latter are addresses.")],
    value: Annotated[str, typer.Argument(help="New value; `config unset` removes one.")],
) -> None:
    """Change a setting of the cluster in use, or of --cluster, in the file; `cluster` selects the one in use."""
    change(session, key, value)


def change(session: CliSession, key: str, value: str) -> None:
    """Writes a setting to the file, or removes it for an empty value, and prints it.

    BadConfiguration, BadOption, BadAddress.
    """
    name, _, symbol = key.partition(".")
    document = read_document()
    cluster = session.settings_name
    profile = profile_in(document, cluster)
    if name in TABLES and symbol:
        addresses = profile.setdefault(name, {})
        if not isinstance(addresses, dict):
            raise BadConfiguration(f"{config_file()}: {name} is not a table")
        _put(addresses, symbol, str(parse_address(value)) if value else "")
    elif key in KEYS:
        if value:
            profiles = document[PROFILES]
            check_setting(key, value, profiles if isinstance(profiles, dict) else {})
        value = _from_anywhere(value) if key == "keypair" and value else value
        _put(document if key == IN_USE else profile, key, value)
    else:
        raise BadConfiguration(f"{key!r} is not a setting", f"Choose one of: {', '.join([*KEYS, *IN_TABLES])}.")
    file = write_document(document)
    told = redact(value) if "://" in value else value
    of = "" if key == IN_USE else f" of {cluster}"
    session.out.show(
        {"file": str(file), "cluster": cluster} | {key: told},
        f"{key}{of} {f'= {told}' if told else 'is unset'}  ({file})",
    )


def _put(settings: dict[str, object], key: str, value: str) -> None:
    settings.pop(key, None)
    if value:
        settings[key] = value


def _from_anywhere(path: str) -> str:
    """A file's absolute path."""
    return os.path.abspath(os.path.expanduser(path))
