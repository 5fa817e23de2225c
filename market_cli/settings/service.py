"""Settings of a service from a command's flags, the environment, the settings file, and the cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from anchor_client.service.setting_sources import Resolved, Sources, read, require_known_variables
from anchor_client.service.settings import PREFIX, Settings
from market_cli.output import table
from market_cli.paths import config_file
from market_cli.session import CliSession
from market_cli.settings.cluster import read_profile
from market_cli.settings.keys import TABLES, known_variables


def read_settings(session: CliSession, kind: type[Settings], flags: Mapping[str, Any]) -> Resolved[Settings]:
    """The settings of a service. BadSetting, also for a variable that is misspelt."""
    require_known_variables(os.environ, PREFIX, known_variables())
    cluster = session.settings
    sections = cluster.sections if kind.CLUSTER is None else read_profile(kind.CLUSTER).sections
    names = ("rpc_url", "rpc_rate", "ws_url", "api_url", "keypair", "program_id")
    return read(
        kind,
        Sources(
            flags=flags,
            environment=os.environ,
            section=sections.get(kind.SECTION, {}),
            file=str(config_file()),
            of_cluster={name: getattr(cluster, name) for name in names}
            | {name: getattr(cluster, name) or None for name in TABLES},
            origins=cluster.sources,
        ),
    )


def print_settings(session: CliSession, resolved: Resolved[Settings]) -> None:
    """Prints each setting, without secrets, and its source."""
    rows = table("setting", "value", "source")
    for name, value, source in resolved.rows():
        rows.add_row(name, value or "—", source)
    session.out.show({name: {"value": value, "source": source} for name, value, source in resolved.rows()}, rows)
