"""POST /api/transactions and GET /api/transactions/{signature}: delivery of signed transactions, and their outcome."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from fastapi import Depends, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from solders.signature import Signature

from anchor_client.errors import InvalidTransaction
from anchor_client.solana.transactions.message import V1_BYTES
from anchor_client.solana.transactions.relay import signed_elsewhere
from indexer.api.actions.relays import RelayOutcome, Relays, RelayStage
from indexer.api.deps import MarketClient, of_application
from indexer.api.errors import ApiError, error_name, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.limits.middleware import holder_of
from indexer.api.words import SIGNATURE_PATTERN

router = StrictRouter(prefix="/api/transactions", tags=["transactions"])
MOST_TEXT = -(-V1_BYTES // 3) * 4


class Signed(BaseModel):
    """A transaction that its wallets have signed."""

    model_config = ConfigDict(extra="forbid")

    transaction: str = Field(
        min_length=4, max_length=MOST_TEXT, pattern="^[A-Za-z0-9+/]+={0,2}$", description="Base64, signed."
    )
    last_valid_block_height: int | None = Field(
        default=None, ge=0, lt=2**53, description="From the act's response; by default that of the newest blockhash."
    )


class TransactionFailure(BaseModel):
    """The reason for a failure, in the form of refusals."""

    error: str = Field(examples=["listing_occupied"])
    detail: str
    remedy: str


class Relayed(BaseModel):
    """A transaction's outcome."""

    signature: str
    status: RelayStage = Field(
        description="pending: it may land; landed: it succeeded; failed: on chain, its fee is lost; expired: it "
        "can never land; unknown: the node does not know."
    )
    slot: int | None
    error: TransactionFailure | None


Relaying = Annotated[Relays, Depends(of_application("relays"))]
SignatureText = Annotated[str, Path(pattern=SIGNATURE_PATTERN, description="The transaction's first signature.")]


@router.post(
    "",
    summary="Send a signed transaction",
    responses={202: {"model": Relayed}, **refusals(400, 409, 413, 422, 429, 502, 503)},
)
async def send(request: Request, body: Signed, market: MarketClient, relays: Relaying, response: Response) -> Relayed:
    """Simulates and sends a transaction of the market, and resends it until it lands or its blockhash expires. A
    failing one is refused by name and not sent. 202 while it may still land: poll its outcome. A repeated transaction
    is sent once and gets the same response.
    """
    try:
        raw = base64.b64decode(body.transaction, validate=True)
    except binascii.Error as error:
        raise InvalidTransaction(f"This is not base64: {error}") from error
    sender = market.session.sender
    _, newest = await sender.latest_blockhash()
    if body.last_valid_block_height is None:
        asked = newest
    else:
        asked = body.last_valid_block_height
    prepared = signed_elsewhere(raw, min(asked, newest), sender.program)
    outcome = await relays.submit(prepared, holder_of(request.scope))
    response.status_code = 202 if outcome.stage is RelayStage.PENDING else 200
    return _told(outcome)


@router.get("/{signature}", summary="A transaction's outcome", responses=refusals(404, 422, 429, 502, 503))
async def get_outcome(signature: SignatureText, market: MarketClient, relays: Relaying) -> Relayed:
    """The outcome of any transaction."""
    try:
        known = await relays.find(Signature.from_string(signature))
    except ValueError:
        known = None
    if known is None:
        detail = f"The transaction {signature} is unknown to the node, and not in flight here."
        raise ApiError(
            404, "transaction_not_found", detail, "Check the signature; one that was never sent cannot land."
        )
    return _told(known)


def _told(outcome: RelayOutcome) -> Relayed:
    failure = None
    if outcome.error is not None:
        error = outcome.error
        failure = TransactionFailure(error=error_name(error), detail=error.message, remedy=error.remedy)
    return Relayed(
        signature=str(outcome.signature),
        status=outcome.stage,
        slot=outcome.slot,
        error=failure,
    )
