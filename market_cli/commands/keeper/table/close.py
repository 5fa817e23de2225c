"""`gpu-market keeper table close`."""

from __future__ import annotations

from typing import Annotated

from keeper.journal import open_journal
from keeper.settings import KeeperSettings
from keeper.table.closing import close_tables
from market_cli.acting import acting
from market_cli.commands.keeper.table.state import directory, show_tables
from market_cli.session import CliSession


@acting
async def close(session: CliSession, settings: Annotated[KeeperSettings, ("state_dir",)]) -> None:
    """Close the tables of a stopped keeper and get their rent back. Run it twice, some minutes apart.

    The first run deactivates a table; the chain allows closing it 513 slots later: the command says in how many
    minutes. A keeper restarted with the lookup table `auto` creates a new one.
    """
    async with open_journal(directory(settings)) as journal:
        left = await close_tables(session.market.reads.program, journal, session.wallet)
    await show_tables(session, left, "No lookup table is left.")
