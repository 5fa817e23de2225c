"""`gpu-market keeper table show`."""

from __future__ import annotations

from typing import Annotated

from keeper.journal import open_journal
from keeper.settings import KeeperSettings
from keeper.table.closing import read_tables
from market_cli.acting import acting
from market_cli.commands.keeper.table.state import directory, show_tables
from market_cli.session import CliSession


@acting
async def show(session: CliSession, settings: Annotated[KeeperSettings, ("state_dir",)]) -> None:
    """Show the tables of a stopped keeper, with their addresses and rent."""
    async with open_journal(directory(settings)) as journal:
        await show_tables(
            session, await read_tables(session.market.reads.program, journal), "This keeper has no lookup table."
        )
