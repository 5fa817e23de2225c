"""A stopped keeper's state."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anchor_client.service.errors import BadSetting
from anchor_client.solana.pace import slot_seconds
from anchor_client.solana.slots import USUAL_SLOT_SECONDS
from keeper.settings import KeeperSettings
from keeper.table.closing import TableState
from market_cli.session import CliSession


def directory(settings: KeeperSettings) -> Path:
    """The state directory. BadSetting if none is named."""
    if settings.state_dir is None:
        raise BadSetting("No state directory is named", "Pass --state-dir, or set GPU_MARKET_STATE_DIR.")
    return settings.state_dir


async def show_tables(session: CliSession, tables: Sequence[TableState], otherwise: str) -> None:
    """Prints tables, or the text `otherwise` if there are none. Raises network errors."""
    seconds = await slot_seconds(session.market.session.client) or USUAL_SLOT_SECONDS
    told = [
        {
            "address": str(table.address),
            "addresses": table.addresses,
            "rent_lamports": table.rent,
            "slots_left": table.slots_left,
        }
        for table in tables
    ]
    session.out.show({"tables": told}, "\n".join(_line(table, seconds) for table in tables) or otherwise)


def _line(table: TableState, slot_seconds: float) -> str:
    rent = f"{table.rent} lamports of rent"
    if table.slots_left is None:
        return f"{table.address} has {table.addresses} addresses and {rent}."
    if table.slots_left == 0:
        return f"{table.address} can be closed for {rent}."
    minutes = round(table.slots_left * slot_seconds / 60 + 0.5)
    return f"{table.address} is deactivated; run `keeper table close` in {minutes} minutes to get back {rent}."
