"""`gpu-market host seal-key`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.sealing import SealKey
from anchor_client.service.home import expanded
from market_cli.acting import acting
from market_cli.session import CliSession


@acting
async def seal_key(
    session: CliSession,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The new key's file; created if missing.")],
) -> None:
    """Replace the seal key, if the old one was exposed or lost. Your wallet signs.

    Copy the file to each of your machines and restart `gpu-market host run --seal-key FILE`. Orders in transit are
    refused as unreadable, and passwords of running rentals change.
    """
    if not expanded(file).exists():
        SealKey.generate().save(file)
    key = SealKey.load(file)
    sent = await session.signing.host.update(key.public)
    text = f"New orders are sealed to the key in {file}. Restart your agents with it."
    session.out.sent(sent, text, seal_key=key.public.hex(), seal_key_file=str(file))
