"""Arguments that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

from indexer.settings import OF_INDEX, OF_SOURCE, IndexerSettings

IndexSettings = Annotated[IndexerSettings, OF_INDEX]
SourceSettings = Annotated[IndexerSettings, OF_SOURCE]
Limit = Annotated[int, typer.Option("--limit", help="Maximum number to show.", min=1)]
