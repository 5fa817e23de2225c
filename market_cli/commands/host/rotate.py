"""`gpu-market host rotate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.service.home import expanded
from anchor_client.solana.wallet import Wallet
from market_cli.acting import acting
from market_cli.session import CliSession


@acting
async def rotate(
    session: CliSession,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Key file of the new operator; created if missing.")],
) -> None:
    """Replace the operator key of all your machines; the old key stops working. Your wallet signs.

    The new key pays for heartbeats, so it needs some SOL. Then restart `gpu-market host run` with it.
    """
    market = session.signing
    if not expanded(file).exists():
        Wallet.generate(file)
    operator = Wallet.from_file(file).pubkey
    sent = await market.host.set_operator(operator)
    document = {
        "operator": str(operator),
        "keypair": str(file),
        "transactions": [str(one.signature) for one in sent],
    }
    session.out.show(
        document,
        f"{operator} now serves them." if sent else "No listings to hand over.",
        f"Give it SOL for heartbeats, and restart the agent with: --keypair {file} --owner {market.address}",
    )
