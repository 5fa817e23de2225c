"""The Solana Action that rents a listing."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.generated.types import RentalKind
from anchor_client.market import Offer
from anchor_client.rules.catalog import gpu_slug, region_slug
from anchor_client.rules.hourly import Pricing
from indexer.api.http.strict import StrictRouter
from indexer.api.routes.acts.orders import JobRequest, ordered
from indexer.api.routes.solana_actions.answers import (
    FAILURES,
    ActionGetResponse,
    ActionParameter,
    ActionParameterOption,
    ActionPostRequest,
    ActionPostResponse,
    LinkedAction,
    Links,
    Pressed,
    icon_of,
)
from indexer.api.words import AddressText

router = StrictRouter(prefix="/api/actions/listings/{id}/rent", tags=["solana actions"], responses=FAILURES)
HOURS = (1, 6, 24)
HASH = "^[0-9a-f]{64}$"


@router.get("", summary="The Action that rents a listing", response_model_exclude_none=True)
async def rent_metadata(id: AddressText, request: Request, actor: Pressed) -> ActionGetResponse:
    """Buttons for some durations, and one for any number of hours."""
    offer = await actor.market.reads.offer(Pubkey.from_string(id))
    listing = offer.listing
    gpu = gpu_slug(listing.gpu_model)
    region = region_slug(listing.region)
    paths = [(f"{hours} h", str(hours)) for hours in HOURS]
    order = ActionParameter(
        name="order_hash",
        label="SHA-256 of your order, sealed and sent to the host's mailbox",
        type="text",
        pattern=HASH,
        pattern_description="64 hexadecimal digits",
    )
    hours = ActionParameter(name="hours", label="Hours", type="number", min=1, max=max(listing.mrl_seconds // 3_600, 1))
    pay = ActionParameter(name="pay", label="Pay in", type="select", options=_tokens())
    path = f"/api/actions/listings/{id}/rent?order_hash={{order_hash}}"
    return ActionGetResponse(
        icon=icon_of(request),
        title=f"Rent {listing.gpu_count} {gpu}",
        description=f"{_price(offer, await actor.market.pricing())} an hour in {region}, by the second; stop at any "
        "time and the unused part is refunded.",
        label="Rent",
        disabled=not offer.is_available,
        links=Links(
            actions=[
                *(
                    LinkedAction(label=f"Rent for {label}", href=f"{path}&hours={value}", parameters=[order])
                    for label, value in paths
                ),
                LinkedAction(label="Rent", href=f"{path}&hours={{hours}}&pay={{pay}}", parameters=[order, hours, pay]),
            ]
        ),
    )


@router.post("", summary="Rent a listing", operation_id="action_rent")
async def rent(
    id: AddressText,
    body: ActionPostRequest,
    actor: Pressed,
    hours: Annotated[int, Query(ge=1, le=2_160)],
    order_hash: Annotated[str, Query(pattern=HASH)],
    pay: Annotated[str, Query(max_length=44)] = "GPUM",
) -> ActionPostResponse:
    """The order of POST /api/jobs for this listing."""
    order = JobRequest(wallet=body.account, listing=id, duration=hours * 3_600, pay=pay, order_hash=order_hash)
    wanted = order.wanted(kind=order.kind, listing=id)
    return ActionPostResponse.of(await ordered(actor, order, await actor.market.rental.plan.open(order.signer, wanted)))


def _price(offer: Offer, pricing: Pricing) -> str:
    """Dollars that an order on demand placed now pays in the market token; before fees while that is unknown."""
    token = pricing.token()
    paid = None
    if token is not None:
        paid = pricing.paid_usd(offer.listing, offer.subsidy_left, RentalKind.ON_DEMAND, token)
    return usd(offer.listing.on_demand_usd if paid is None else paid)


def _tokens() -> list[ActionParameterOption]:
    return [ActionParameterOption(label=token, value=token, selected=token == "GPUM") for token in ("GPUM", "SOL")]
