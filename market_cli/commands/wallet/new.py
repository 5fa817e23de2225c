"""`gpu-market wallet new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.wallet import Wallet
from market_cli.acting import acting
from market_cli.paths import wallet_file
from market_cli.session import Session


@acting
async def new(
    session: Session,
    path: Annotated[Path | None, typer.Argument(help="Key file to create.", show_default=False)] = None,
) -> None:
    """Create a key file that only you can read. Never overwrites one."""
    file = path or wallet_file()
    wallet = Wallet.generate(file)
    document = {"address": str(wallet.pubkey), "keypair": str(file)}
    session.out.show(document, lambda console: console.print(f"{wallet.pubkey}  in {file}"))
