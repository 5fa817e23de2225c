"""A stopped keeper's state."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anchor_client.service.errors import BadSetting
from keeper.settings import KeeperSettings
from keeper.table.closing import TableState
from market_cli.session import CliSession

SECONDS_PER_SLOT = 0.4


def directory(settings: KeeperSettings) -> Path:
    """The state directory. BadSetting if none is named."""
    if settings.state_dir is None:
        raise BadSetting("No state directory is named", "Pass --state-dir, or set GPU_MARKET_STATE_DIR.")
    return settings.state_dir


def show_tables(session: CliSession, tables: Sequence[TableState], otherwise: str) -> None:
    """Prints tables, or the text `otherwise` if there are none."""
    told = [
        {
            "address": str(table.address),
            "addresses": table.addresses,
            "rent_lamports": table.rent,
            "slots_left": table.slots_left,
        }
        for table in tables
    ]
    session.out.show({"tables": told}, "\n".join(map(_line, tables)) or otherwise)


def _line(table: TableState) -> str:
    rent = f"{table.rent} lamports of rent"
    if table.slots_left is None:
        return f"{table.address} has {table.addresses} addresses and {rent}."
    if table.slots_left == 0:
        return f"{table.address} can be closed for {rent}."
    minutes = round(table.slots_left * SECONDS_PER_SLOT / 60 + 0.5)
    return f"{table.address} is deactivated; run `keeper table close` in {minutes} minutes to get back {rent}."
