"""`gpu-market governance propose upgrade`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.deploy.errors import NotTheAuthority
from anchor_client.generated.types import ActionUpgradeProgram
from anchor_client.solana.loader import Buffer
from anchor_client.solana.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.governance.arguments import Title
from market_cli.commands.governance.propose.proposing import propose
from market_cli.errors import BadOption
from market_cli.session import CliSession


@acting
async def upgrade(
    session: CliSession,
    buffer: Annotated[str, typer.Argument(help="Upgradeable-loader buffer with the new code.")],
    title: Title = "",
) -> None:
    """Upgrade the program from a buffer. The vote is on the code's hash, so a changed buffer is refused."""
    address = parse_address(buffer)
    found = Buffer.read(await session.market.reads.program.account(address))
    if found is None:
        raise BadOption(f"There is no buffer with code at {address}", "Write one first: gpu-market upgrade FILE.")
    governance = session.market.governance.authority
    if found.authority != governance:
        remedy = f"Transfer it to {governance} first, as `gpu-market upgrade FILE` does; execution needs it."
        raise NotTheAuthority(f"The buffer {address} belongs to {found.authority}, not to governance", remedy)
    await propose(session, ActionUpgradeProgram(address, found.sha256), title)
