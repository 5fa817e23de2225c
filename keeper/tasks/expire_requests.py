"""Ends requests that found no machine in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Request
from keeper.tasks.request_due import RequestDue, RequestTask

EXPIRE_REQUEST: Final = RequestTask("expire_request")


def find_expired(requests: Mapping[Pubkey, Request], now: int) -> list[RequestDue]:
    """The requests whose time is over at `now`, the longest overdue first."""
    found = [
        RequestDue(EXPIRE_REQUEST, address, request, request.expires_at)
        for address, request in requests.items()
        if request.expires_at <= now
    ]
    return sorted(found, key=lambda due: (due.due_at, bytes(due.address)))
