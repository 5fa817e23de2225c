"""`gpu-market config unset`."""

from __future__ import annotations

from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.commands.config.set import change
from market_cli.session import CliSession
from market_cli.settings.keys import IN_TABLES, KEYS


@acting
async def unset(
    session: CliSession,
    key: Annotated[str, typer.Argument(help=f"{', '.join([*KEYS, *IN_TABLES])}.")],
) -> None:
    """Remove a setting of the cluster in use, or of --cluster, from the file, so that its default applies."""
    change(session, key, "")
