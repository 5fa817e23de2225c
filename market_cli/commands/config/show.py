"""`gpu-market config show`."""

from __future__ import annotations

import json
import os

from anchor_client.service.redaction import redact
from anchor_client.service.setting_sources import require_known_variables
from anchor_client.service.settings import PREFIX
from market_cli.acting import acting
from market_cli.output import table
from market_cli.paths import config_file
from market_cli.session import CliSession
from market_cli.settings.keys import known_variables


@acting
async def show(session: CliSession) -> None:
    """Show the settings in use and their sources. Possible keys in URLs are hidden. A service shows its own with
    --print-settings.
    """
    require_known_variables(os.environ, PREFIX, known_variables())
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
    rows = table("setting", "value", "source")
    for key, value in document.items():
        text = json.dumps(value) if isinstance(value, dict) else str(value or "—")
        rows.add_row(key, text, settings.sources.get(key, ""))
    session.out.show(document | {"sources": dict(settings.sources)}, rows)
