"""POST /api/hosts...: a host's registration and keys."""

from __future__ import annotations

from pydantic import Field
from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_host
from indexer.api.actions.acts import REFUSALS, Act, Acting, UnsignedAct
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText

router = StrictRouter(prefix="/api/hosts", tags=["hosts"], responses=REFUSALS)


class Sealing(Act):
    """The key that orders are sealed to."""

    seal_key: str = Field(pattern="^[0-9a-f]{64}$", description="X25519 public key, hex.", examples=["ab" * 32])


class Operator(Act):
    """The key that serves machines."""

    operator: AddressText
    listings: list[AddressText] = Field(min_length=1, max_length=6, description="The listings that it will serve.")


@router.post("", summary="A registration to sign", operation_id="host_register")
async def register(body: Sealing, actor: Acting) -> UnsignedAct:
    """Registers the wallet as a host; `address` is the host account's."""
    key = bytes.fromhex(body.seal_key)
    host = find_host(body.signer, actor.market.program_id)[0]
    return await actor.prepare(
        body, lambda market: market.host.register(key), f"Register {body.wallet} as a host", address=host
    )


@router.post("/seal-key", summary="A new seal key to sign", operation_id="host_update")
async def update(body: Sealing, actor: Acting) -> UnsignedAct:
    """Replaces the key that orders are sealed to. The host signs."""
    key = bytes.fromhex(body.seal_key)
    host = find_host(body.signer, actor.market.program_id)[0]
    return await actor.prepare(
        body, lambda market: market.host.update(key), f"Change the seal key of host {body.wallet}", address=host
    )


@router.post("/operator", summary="A new operator to sign", operation_id="host_set_operator")
async def set_operator(body: Operator, actor: Acting) -> UnsignedAct:
    """Sets the key that serves listings; the old one stops working. The host signs."""
    operator = Pubkey.from_string(body.operator)
    listings = [Pubkey.from_string(one) for one in body.listings]
    says = f"Let {body.operator} serve {len(listings)} listings"
    return await actor.prepare(body, lambda market: market.host.set_operator(operator, listings), says)
