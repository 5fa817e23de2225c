"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

Database = Annotated[
    str | None, typer.Option("--database", help="SQLite or PostgreSQL URL.", show_default="GPU_MARKET_DATABASE_URL")
]
Commitment = Annotated[
    str | None, typer.Option("--commitment", help="finalized or confirmed.", show_default="finalized")
]
Limit = Annotated[int, typer.Option("--limit", help="Maximum number to show.", min=1)]
Host = Annotated[str | None, typer.Option("--host", help="Address to listen on.", show_default="127.0.0.1")]
Port = Annotated[int | None, typer.Option("--port", help="API port.", min=0, max=65_535, show_default="8000")]
Workers = Annotated[
    int | None, typer.Option("--workers", help="Processes that answer requests.", min=0, max=64, show_default="1")
]
Grpc = Annotated[
    str | None,
    typer.Option(
        "--grpc",
        metavar="URL",
        help="Yellowstone gRPC server to follow; its token is GPU_MARKET_GRPC_TOKEN.",
        show_default=False,
    ),
]
HooksPort = Annotated[
    int | None,
    typer.Option(
        "--hooks-port",
        help="Port of this machine for a provider's webhooks; needs GPU_MARKET_HOOKS_SECRET.",
        min=0,
        max=65_535,
        show_default=False,
    ),
]
