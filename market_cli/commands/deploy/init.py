"""`gpu-market deploy init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.deploy.clusters import NAMES
from anchor_client.deploy.errors import BadMarketFile
from anchor_client.deploy.template import template
from market_cli.acting import acting
from market_cli.errors import BadOption
from market_cli.session import CliSession


@acting
async def init(
    session: CliSession,
    file: Annotated[Path, typer.Argument(help="File to write.")] = Path("market.toml"),
) -> None:
    """Write a market file for --cluster, with every parameter, its bounds and its meaning."""
    cluster = session.settings.cluster
    if cluster not in NAMES:
        raise BadOption(f"{cluster!r} is not a cluster to open a market on", f"Choose one of {', '.join(NAMES)}.")
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(template(cluster))
    except FileExistsError:
        raise BadMarketFile(f"There is already a file at {file}", "Name another, or move it away.") from None
    except OSError as error:
        raise BadMarketFile(f"{file} cannot be written: {error.strerror}", "Name another file.") from error
    text = f"Wrote {file}. Read it, edit it, then run: gpu-market deploy {file}"
    session.out.show({"file": str(file), "cluster": cluster}, text)
