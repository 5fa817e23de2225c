"""`gpu-market config show`."""

from __future__ import annotations

import json

from anchor_client.service.redaction import redact
from market_cli.acting import acting
from market_cli.output import table
from market_cli.paths import config_file
from market_cli.session import CliSession


@acting
async def show(session: CliSession) -> None:
    """Show the effective settings from flags, environment, file and defaults. Possible keys in URLs are hidden."""
    settings = session.settings
    document = {
        "file": str(config_file()),
        "cluster": redact(settings.cluster),
        "rpc_url": redact(settings.rpc_url),
        "rpc_rate": settings.rpc_rate,
        "ws_url": redact(settings.ws_url),
        "api_url": settings.api_url and redact(settings.api_url),
        "keypair": settings.keypair,
        "program_id": str(settings.program_id),
        "tokens": {symbol: str(mint) for symbol, mint in settings.tokens.items()},
        "price_feeds": {str(mint): str(feed) for mint, feed in settings.price_feeds.items()},
        "genesis_hash": settings.genesis_hash,
    }
    rows = table("setting", "value")
    for key, value in document.items():
        rows.add_row(key, json.dumps(value) if isinstance(value, dict) else str(value or "—"))
    session.out.show(document, rows)
