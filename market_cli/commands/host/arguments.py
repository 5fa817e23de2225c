"""Options of the commands that concern this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DiskPath = Annotated[
    Path | None,
    typer.Option("--disk-path", help="Disk that holds the containers.", show_default="the Docker engine's, or /"),
]
EngineUrl = Annotated[
    str | None, typer.Option("--engine", metavar="URL", help="Docker socket.", show_default="docker's")
]
StateDir = Annotated[
    Path | None,
    typer.Option(
        "--state-dir",
        envvar="GPU_MARKET_HOST_STATE_DIR",
        help="The agent's directory.",
        show_default="/var/lib/gpu-market/host if there is one, else ~/.local/share/gpu-market/host",
    ),
]
