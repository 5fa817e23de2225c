"""`gpu-market keeper table show`."""

from __future__ import annotations

from keeper.journal import open_journal
from keeper.table.closing import read_tables
from market_cli.acting import acting
from market_cli.commands.keeper.table.arguments import StateDir
from market_cli.commands.keeper.table.state import directory, show_tables
from market_cli.session import CliSession


@acting
async def show(session: CliSession, state_dir: StateDir = None) -> None:
    """Show the tables of a stopped keeper, with their addresses and rent."""
    async with open_journal(directory(state_dir)) as journal:
        show_tables(
            session, await read_tables(session.market.reads.program, journal), "This keeper has no lookup table."
        )
