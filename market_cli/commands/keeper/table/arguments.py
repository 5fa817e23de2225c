"""The option that both commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

StateDir = Annotated[
    Path | None,
    typer.Option(
        "--state-dir", help="The keeper's state directory; default: GPU_MARKET_STATE_DIR.", show_default=False
    ),
]
