"""`gpu-market host register`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.generated.pdas import find_host
from anchor_client.sealing import SealKey
from market_cli.acting import acting
from market_cli.paths import seal_key_file
from market_cli.session import Session


@acting
async def register(
    session: Session,
    seal_key: Annotated[
        Path | None,
        typer.Option("--seal-key", help="Key file that orders are encrypted to; created if missing."),
    ] = None,
) -> None:
    """Register the wallet as a host. It can list machines once the market authority approves it."""
    market, file = session.signing, seal_key or seal_key_file()
    if not file.exists():
        SealKey.generate().save(file)
    key = SealKey.load(file)
    sent = await market.host.register(key.public)
    document = {
        "host": str(find_host(market.address, market.program_id)[0]),
        "authority": str(market.address),
        "seal_key": key.public.hex(),
        "seal_key_file": str(file),
        "tx": str(sent.signature),
    }
    session.out.show(document, lambda console: console.print(f"Host {document['host']}, order key in {file}"))
