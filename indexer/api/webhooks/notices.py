"""A notice as it is kept and sent: its id is derived from its subject, its body is made once."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from anchor_client.resources.base import Resource
from indexer.accounts.models import WebhookDelivery
from indexer.api.feed.topics import JOB, LISTING, PROPOSAL, REQUEST
from indexer.api.routes.governance import find_proposal
from indexer.api.routes.jobs import find_job
from indexer.api.routes.listings import find_listing
from indexer.api.routes.requests import find_request
from indexer.api.webhooks.kinds import Happening
from indexer.api.webhooks.searching import FollowedSearch
from indexer.models import PaymentMint
from indexer.status import Status

ID_PREFIX = "msg_"
ID_DIGITS = 40
PATHS = {JOB: "/api/jobs/{}", REQUEST: "/api/requests/{}", LISTING: "/api/marketplace/listings/{}"}
PROPOSAL_PATH = "/api/governance/proposals/{}"


def id_of(endpoint: str, type: str, *place: object) -> str:
    """Unique id of an endpoint's notice: the same each time that the notice is made."""
    text = "\n".join(map(str, (endpoint, type, *place)))
    return ID_PREFIX + sha256(text.encode()).hexdigest()[:ID_DIGITS]


def body_of(type: str, at: int, data: dict[str, Any]) -> str:
    """JSON body of a notice. `at` in unix seconds."""
    timestamp = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return msgspec.json.encode({"type": type, "timestamp": timestamp, "data": data}).decode()


def data_of(connection: Connection, happening: Happening, chain: Status) -> dict[str, Any]:
    """Data of a notice: its resource as lists have it now, a link to it, and the facts of what happened."""
    kind, address = happening.subject
    resource = _resource(connection, kind, address, chain)
    path = None
    if kind in PATHS:
        path = PATHS[kind].format(address)
    if kind == PROPOSAL and resource is not None:
        path = PROPOSAL_PATH.format(resource["id"])
    told: dict[str, Any] = {"link": path}
    if kind != LISTING:
        told[kind] = resource
    told |= happening.facts
    if "amount" in told:
        told["mint"] = told.get("mint") or (resource or {}).get("mint")
        told["decimals"] = _decimals(connection, told["mint"])
    return told


def data_of_search(connection: Connection, search: FollowedSearch, listing: str, chain: Status) -> dict[str, Any]:
    """Data of a notice of a listing that fits a saved search."""
    found = find_listing(connection, listing, chain)
    resource = None if found is None else found.to_json()
    named = {"search": search.id, "name": search.name}
    return {"link": PATHS[LISTING].format(listing), "listing": resource, **named}


def notice(endpoint: str, type: str, id: str, body: str, now: int) -> WebhookDelivery:
    """One that waits to be sent."""
    return WebhookDelivery(id=id, number=0, endpoint=endpoint, type=type, body=body, made_at=now, next_at=now)


def _resource(connection: Connection, kind: str, address: str, chain: Status) -> dict[str, Any] | None:
    found: Resource | None = None
    if kind == JOB:
        found = find_job(connection, address, chain)
    elif kind == REQUEST:
        found = find_request(connection, address, chain)
    elif kind == PROPOSAL:
        found = find_proposal(connection, address, chain.now())
    return None if found is None else found.to_json()


def _decimals(connection: Connection, mint: str | None) -> int | None:
    found: int | None = connection.execute(select(PaymentMint.c.decimals).where(PaymentMint.c.mint == mint)).scalar()
    return found
