"""Common parts of the commands: the API as the signed-in wallet, their arguments, and an endpoint's output."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from rich.table import Table

from anchor_client.api.webhooks import Webhook, WebhooksApi
from anchor_client.service.setting_kinds import is_http_url
from market_cli.errors import BadOption
from market_cli.output import table
from market_cli.plain_text import theirs
from market_cli.session import CliSession
from market_cli.signing.signed_in import accounts, tokens_of
from market_cli.units import moment, parse_duration


@asynccontextmanager
async def asking(session: CliSession) -> AsyncIterator[WebhooksApi]:
    """The API as the signed-in wallet. NoApi, SignInNeeded."""
    async with accounts(session) as api:
        yield WebhooksApi(api, await tokens_of(session, api))


def check_url(url: str) -> None:
    """Raises BadOption for what no notice can be sent to."""
    if not is_http_url(url):
        raise BadOption(f"{url!r} is not a URL", "Write https:// and a host, such as https://example.com/notices.")


def chosen(types: list[str] | None, topics: list[str] | None, low_funds: list[str] | None) -> dict[str, Any]:
    """The given options, in the API's form."""
    thresholds = [_threshold(each) for each in low_funds or ()]
    given = {"types": types, "topics": topics, "low_funds": thresholds}
    return {name: value for name, value in given.items() if value}


def document(webhook: Webhook) -> dict[str, Any]:
    """An endpoint for --json, with its secret if there is one."""
    told = msgspec.structs.asdict(webhook)
    if webhook.secret:
        return told
    return {name: value for name, value in told.items() if name != "secret"}


def details(webhook: Webhook) -> Table:
    """Everything about an endpoint."""
    shown = table("", "")
    shown.add_row("id", theirs(webhook.id))
    shown.add_row("url", theirs(webhook.url))
    shown.add_row("state", state(webhook))
    shown.add_row("types", theirs(" ".join(webhook.types)))
    shown.add_row("topics", theirs(" ".join(webhook.topics)))
    shown.add_row("low funds", theirs(" ".join(webhook.low_funds)))
    if webhook.old_secret_until is not None:
        shown.add_row("old secret signs until", moment(webhook.old_secret_until))
    return shown


def state(webhook: Webhook) -> str:
    """An endpoint's state in words."""
    if not webhook.enabled:
        return f"disabled: {theirs(webhook.disabled_reason or '')}"
    if webhook.failing_since is None:
        return "well"
    return f"failing since {moment(webhook.failing_since)}"


def _threshold(text: str) -> str:
    return text if text.endswith("%") else f"{parse_duration(text)}s"
