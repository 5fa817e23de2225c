"""The index by its API, and the keeper's wallet."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from anchor_client.amounts import LAMPORTS_PER_SOL, sol
from anchor_client.api.market import MarketApi
from anchor_client.doctor.context import Context
from anchor_client.doctor.finding import Finding, failure, ok, warning
from anchor_client.errors import API_FAILURES

KEEPER_LAMPORTS = LAMPORTS_PER_SOL // 10
REMEDIES = {
    "gap": "`gpu-market indexer gaps`, then `gpu-market indexer backfill --from SLOT`.",
    "dead": "`gpu-market indexer dead-letters`; install the newest version, then `gpu-market indexer rebuild`.",
    "vault": "`gpu-market indexer verify`; if it differs again, `gpu-market indexer rebuild`.",
    "look": "Check that the indexer runs and that its node answers.",
}
OTHERWISE = "Check the indexer's log."


async def check_index(context: Context) -> AsyncIterator[Finding]:
    """Reports what the API's /health says: lag, gaps, dead letters, reconciliation."""
    if context.api_url is None:
        yield warning("index", "no API is configured", "Configure one: `gpu-market config set api_url URL`.")
        return
    async with MarketApi(context.api_url) as api:
        try:
            answer = await api.ask("GET", "/health")
            told = json.loads(answer.text)
            problems = told["problems"]
            lag = told["lag_seconds"]
            at = told["complete_slot"]
        except API_FAILURES as error:
            yield failure("index", error.message, "Start it: `gpu-market indexer run`, or correct `api_url`.")
            return
        except (ValueError, KeyError, TypeError):
            yield failure("index", f"{api.endpoint} is not a market's API", "Correct `api_url`.")
            return
    for problem in problems:
        remedy = next((text for word, text in REMEDIES.items() if word in problem), OTHERWISE)
        yield failure("index", problem, remedy)
    if not problems:
        yield ok(
            "index", f"complete up to slot {at}, {lag:.0f} s behind; {len(told['reconciliation'])} vaults compared"
        )


async def check_keeper(context: Context) -> AsyncIterator[Finding]:
    """Checks that a keeper's wallet can pay for its transactions."""
    if context.keeper is None:
        return
    balance = await context.market.reads.program.balance(context.keeper)
    text = f"the keeper {context.keeper} has {sol(balance)}"
    if balance == 0:
        yield failure("keeper", text, f"Send SOL to {context.keeper}.")
    elif balance < KEEPER_LAMPORTS:
        yield warning("keeper", text, f"Send SOL to {context.keeper}.")
    else:
        yield ok("keeper", text)
