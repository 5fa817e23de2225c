"""POST /api/marketplace/listings/{id}/reach: tries a machine's ports from outside."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated

from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict, Field
from solders.pubkey import Pubkey
from solders.signature import Signature
from sqlalchemy import Connection, bindparam, select

from anchor_client.errors import ReachNotSigned
from anchor_client.machine import reach as client
from indexer.api.deps import ApiSettings, Read
from indexer.api.errors import ApiError, missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.limits.middleware import holder_of
from indexer.api.limits.routes import take_of_node
from indexer.api.reaching import NoTryLeft, PortTries
from indexer.api.routes.figures import MOST_SECONDS
from indexer.api.webhooks.addresses import AddressRefused
from indexer.api.words import MILLISECONDS, SIGNATURE_PATTERN, AddressText, SignedAt, signature_or
from indexer.models import Host, Listing

router = StrictRouter(prefix="/api/marketplace/listings", tags=["market"])

SECONDS = 8.0
"""For all of it, names included."""
Port = Annotated[int, Field(ge=1_024, le=65_535)]
Ports = Annotated[tuple[Port, ...], Field(max_length=8)]
OPERATOR = (
    select(Listing.c.operator, Host.c.approved)
    .join(Host.table, Host.c.address == Listing.c.host)
    .where(Listing.c.address == bindparam("listing"), Listing.c.closed_at == 0)
)


class ReachAsked(BaseModel):
    """A machine's ports, each with what shows that it is the machine's own."""

    model_config = ConfigDict(extra="forbid")

    host: str = Field(
        pattern=r"^[A-Za-z0-9.:-]{1,253}$", description="A public name or address.", examples=["203.0.113.7"]
    )
    ssh: Port = Field(description="An SSH server's.")
    token: str = Field(
        pattern="^[0-9a-f]{32}$",
        description="Text with which the `plain` ports answer HTTP requests.",
        examples=["ab" * 16],
    )
    plain: Ports = ()
    certificate: str = Field(
        pattern="^[0-9a-f]{64}$", description="SHA-256 of the `tls` ports' certificate, in hex.", examples=["cd" * 32]
    )
    tls: Ports = ()


class SignedReach(BaseModel):
    """A request signed by the listing's operator: text of three lines, `gpu-market reach LISTING`, `sha256 DIGEST` in
    hex, of `reach` as JSON with sorted keys and no spaces, and `signed at SIGNED_AT`."""

    reach: ReachAsked
    signed_at: SignedAt
    signature: Annotated[
        str,
        Field(pattern=SIGNATURE_PATTERN, description="The operator's signature, in base58.", examples=["1" * 64]),
        signature_or(ReachNotSigned),
    ]


class PortsReached(BaseModel):
    """The ports that the API reaches and that are the machine's own."""

    reached: list[int]


@router.post(
    "/{id}/reach",
    summary="Try a machine's ports from outside",
    operation_id="listings_try_ports",
    responses=refusals(400, 403, 404, 409, 413, 422, 429, 503),
    dependencies=[Depends(take_of_node)],
)
async def try_ports(
    request: Request, id: AddressText, posted: SignedReach, read: Read, settings: ApiSettings
) -> PortsReached:
    """Connects once to each port of a public address, for the operator of an approved host's listing. A port counts if
    SSH greets, the token comes back, or the certificate is the named one.
    """
    age = int(time.time()) - posted.signed_at // MILLISECONDS
    if abs(age) > MOST_SECONDS:
        message = f"The request was signed {abs(age)} s {'ago' if age > 0 else 'from now'}."
        raise ApiError(409, "reach_untimely", message, "Set the signing machine's clock, and sign it again.")
    operator, approved = await read(_operator, id)
    reach = client.Reach(**posted.reach.model_dump())
    signature = Signature.from_string(posted.signature)
    client.SignedReach(Pubkey.from_string(id), reach, posted.signed_at, signature).verify(operator)
    if not approved:
        raise ApiError(403, "host_not_approved", "The host is not approved.", "Ask the market's authority.")
    tries: PortTries = request.app.state.port_tries
    try:
        async with asyncio.timeout(SECONDS):
            found = await tries.reached(reach, holder_of(request.scope), private=settings.webhook_private)
            return PortsReached(reached=found)
    except NoTryLeft:
        message, remedy = "Too many machines are tried at the same time.", "Ask again in a moment."
        raise ApiError(429, "too_many_tries", message, remedy, retry_after=round(SECONDS)) from None
    except (AddressRefused, OSError) as error:
        message = f"The ports are not tried: {str(error) or 'the name is not resolved in time'}."
        raise ApiError(409, "address_not_tried", message, "Name a public address with --address.") from error


def _operator(connection: Connection, listing: str) -> tuple[Pubkey, bool]:
    row = connection.execute(OPERATOR, {"listing": listing}).first()
    if row is None:
        raise missing("listing", listing)
    return Pubkey.from_string(row.operator), bool(row.approved)
