"""Options of the commands that measure this machine."""

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
