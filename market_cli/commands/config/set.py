"""`gpu-market config set`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from anchor_client.service.redaction import redact
from anchor_client.service.setting_sources import unknown
from anchor_client.service.settings import declared, parsed
from anchor_client.solana.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.config.document import profile_in, section_in, write_document
from market_cli.errors import BadConfiguration
from market_cli.session import CliSession
from market_cli.settings.cluster import PROFILES, check_setting, read_document
from market_cli.settings.keys import IN_TABLES, IN_USE, KEYS, SERVICES, TABLES, service_settings


@acting
async def set_(
    session: CliSession,
    key: Annotated[str, typer.Argument(help=f"{', '.join([*KEYS, *IN_TABLES])}.")],
    value: Annotated[str, typer.Argument(help="New value; `config unset` removes one.")],
) -> None:
    """Change a setting of the cluster in use, or of --cluster, in the file; `cluster` selects the one in use."""
    change(session, key, value)


def change(session: CliSession, key: str, value: str) -> None:
    """Writes a setting to the file, or removes it for an empty value, and prints it.

    BadConfiguration, BadOption, BadAddress, BadSetting.
    """
    name, _, symbol = key.partition(".")
    document = read_document()
    cluster = session.settings_name
    profile = profile_in(document, cluster)
    if name in TABLES and symbol:
        _put(section_in(profile, name), symbol, str(parse_address(value)) if value else "")
    elif name in SERVICES and symbol:
        _put(section_in(profile, name), symbol, _of_service(name, symbol, value))
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
    if name in SERVICES and declared(service_settings()[name])[symbol].is_secret:
        told = declared(service_settings()[name])[symbol].say(value)
    of = "" if key == IN_USE else f" of {cluster}"
    session.out.show(
        {"file": str(file), "cluster": cluster} | {key: told},
        f"{key}{of} {f'= {told}' if told else 'is unset'}  ({file})",
    )


def _put(settings: dict[str, object], key: str, value: str) -> None:
    settings.pop(key, None)
    if value:
        settings[key] = value


def _of_service(section: str, name: str, value: str) -> str:
    """The value of a service's setting, checked. BadSetting."""
    kind = service_settings()[section]
    if name not in declared(kind) or declared(kind)[name].of_cluster:
        own = [each for each, about in declared(kind).items() if not about.of_cluster]
        raise unknown(f"The command names {name!r} of {section}", name, own)
    if value:
        parsed(name, declared(kind)[name], value, f"{section}.{name}")
    return value


def _from_anywhere(path: str) -> str:
    """A file's absolute path."""
    return os.path.abspath(os.path.expanduser(path))
