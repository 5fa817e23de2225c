"""`gpu-market governance propose upgrade`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.generated.types import ActionUpgradeProgram
from anchor_client.market.governance.loader import buffer_sha256
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.governance.arguments import Title
from market_cli.commands.governance.propose.proposing import propose
from market_cli.errors import BadOption
from market_cli.session import Session


@acting
async def upgrade(
    session: Session,
    buffer: Annotated[str, typer.Argument(help="Upgradeable-loader buffer with the new code.")],
    title: Title = "",
) -> None:
    """Upgrade the program from a buffer. The vote is on the code's hash, so a changed buffer is refused."""
    address = parse_address(buffer)
    account = await session.market.reads.program.account(address)
    digest = None if account is None else buffer_sha256(account)
    if digest is None:
        raise BadOption(f"{address} is not a program buffer", "Write one first: solana program write-buffer.")
    await propose(session, ActionUpgradeProgram(address, digest), title)
