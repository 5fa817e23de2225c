"""Arguments that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

from indexer.settings import OF_INDEX, IndexerSettings

IndexSettings = Annotated[IndexerSettings, OF_INDEX]
Limit = Annotated[int, typer.Option("--limit", help="Maximum number to show.", min=1)]
