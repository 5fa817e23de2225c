"""`gpu-market deploy close`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.deploy.clusters import MAINNET, cluster_of
from anchor_client.deploy.errors import WrongCluster
from anchor_client.deploy.program import ProgramKeeper
from anchor_client.solana.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.deploy.arguments import Yes
from market_cli.commands.deploy.deploying import agree
from market_cli.session import CliSession


@acting
async def close(
    session: CliSession,
    address: Annotated[str, typer.Argument(help="A program, or the buffer of an abandoned upload.")],
    yes: Yes = False,
) -> None:
    """Close a program on devnet or localnet, or a buffer anywhere, and reclaim its rent. Upgrade authority only.

    A closed program's address can never be used again, and the funds in its accounts are lost.
    """
    closed = parse_address(address)
    market = session.signing
    keeper = ProgramKeeper(market.session.sender, session.wallet.keypair)
    is_program = await keeper.find(closed) is not None
    if not is_program:
        kind = "buffer"
        sent = await keeper.close_buffer(closed)
    else:
        kind = "program"
        if cluster_of(await market.reads.genesis_hash()) == MAINNET:
            raise WrongCluster(
                "Programs are not closed on mainnet: escrowed money would be lost",
                "Pause the market, and let its rentals end.",
            )
        question = f"Close {closed} permanently? The market's accounts, and the funds in its vaults, are lost."
        agree(session, question, yes=yes)
        sent = await keeper.close_program(closed)
    session.out.sent(
        sent, f"Closed the {kind} {closed}; its rent is back in your wallet.", address=str(closed), kind=kind
    )
