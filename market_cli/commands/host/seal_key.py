"""`gpu-market host seal-key`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.sealing import SealKey
from market_cli.acting import acting
from market_cli.session import Session


@acting
async def seal_key(
    session: Session,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The new key's file; made if it is missing.")],
) -> None:
    """Have orders sealed to a new key, where the old one was seen or lost. Your wallet signs.

    Copy the file to each of your machines and restart `gpu-market host run --seal-key FILE`. Orders under way are
    refused as unreadable, and passwords of running rentals change.
    """
    if not file.expanduser().exists():
        SealKey.generate().save(file)
    key = SealKey.load(file)
    sent = await session.signing.host.update(key.public)
    text = f"Orders are sealed to the key in {file} from now on. Restart your agents with it."
    session.out.sent(sent, text, seal_key=key.public.hex(), seal_key_file=str(file))
