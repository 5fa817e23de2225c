"""POST /api/governance/proposals...: every step from a proposal to its execution."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union

from fastapi import Path
from pydantic import BaseModel, Field
from solders.pubkey import Pubkey

from anchor_client.generated.types.action import Action
from anchor_client.market.client import Market
from anchor_client.market.governance.words import action_fields, describe, kind_named
from indexer.api.actions.acts import REFUSALS, Act, Acting, Actor, UnsignedAct
from indexer.api.actions.idl_bodies import body_of, value_of
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText

router = StrictRouter(prefix="/api/governance/proposals", tags=["governance"], responses=REFUSALS)
Number = Annotated[int, Path(ge=0, lt=2**63, description="The proposal's number.")]
KINDS: dict[str, type[Any]] = {kind_named(kind): kind for kind in Action.variants()}
if TYPE_CHECKING:
    ActionBody: TypeAlias = BaseModel
else:
    ActionBody = Annotated[
        Union[tuple(body_of(kind, name) for name, kind in KINDS.items())],  # noqa: UP007
        Field(discriminator="kind"),
    ]


class Motion(Act):
    """An action to propose, and its title."""

    action: ActionBody
    title: str = Field(default="", max_length=200)


class Ballot(Act):
    """A vote."""

    support: bool


class Voter(Act):
    """The voter; by default the wallet itself."""

    voter: AddressText | None = None


@router.post("", summary="A proposal to sign", operation_id="governance_propose")
async def propose(body: Motion, actor: Acting) -> UnsignedAct:
    """Puts an action to the vote; locks the wallet's active stake until the vote ends. `address` is the proposal's."""
    kind = vars(body.action)["kind"]
    action: Action = value_of(KINDS[kind], body.action)
    address = await actor.market.governance.next_address(body.signer)
    says = f"Propose to {describe(action_fields(action))}"
    return await actor.prepare(
        body, lambda market: market.governance.propose(action, body.title), says, address=address
    )


@router.post("/{id}/vote", summary="A vote to sign", operation_id="governance_vote")
async def vote(id: Number, body: Ballot, actor: Acting) -> UnsignedAct:
    """Votes with the stake that was active when the proposal opened."""
    says = f"Vote {'for' if body.support else 'against'} proposal {id}"
    return await _prepare(actor, body, id, lambda market: market.governance.vote(id, support=body.support), says)


@router.post("/{id}/votes/close", summary="A closing to sign", operation_id="governance_close_vote")
async def close_vote(id: Number, body: Voter, actor: Acting) -> UnsignedAct:
    """Returns a vote's rent to the voter once the vote is over. Anyone may sign."""
    voter = body.signer if body.voter is None else Pubkey.from_string(body.voter)
    record = await actor.market.governance.record(id, voter)
    says = f"Return the rent of a vote on proposal {id}"
    return await actor.prepare(
        body, lambda market: market.governance.close_vote(id, voter), says, address=record.proposal
    )


@router.post("/{id}/cancel", summary="A cancellation to sign", operation_id="governance_cancel")
async def cancel(id: Number, body: Act, actor: Acting) -> UnsignedAct:
    """Cancels the wallet's own proposal before its vote ends."""
    return await _prepare(actor, body, id, lambda market: market.governance.cancel(id), f"Cancel proposal {id}")


@router.post("/{id}/veto", summary="A veto to sign", operation_id="governance_veto")
async def veto(id: Number, body: Act, actor: Acting) -> UnsignedAct:
    """Stops a queued upgrade or payment of the treasury. The guardian signs."""
    return await _prepare(actor, body, id, lambda market: market.governance.veto(id), f"Veto proposal {id}")


@router.post("/{id}/queue", summary="A count to sign", operation_id="governance_queue")
async def queue(id: Number, body: Act, actor: Acting) -> UnsignedAct:
    """Counts the votes in the week after the vote. Anyone may sign."""
    return await _prepare(
        actor, body, id, lambda market: market.governance.queue(id), f"Count the votes on proposal {id}"
    )


@router.post("/{id}/execute", summary="An execution to sign", operation_id="governance_execute")
async def execute(id: Number, body: Act, actor: Acting) -> UnsignedAct:
    """Executes a passed proposal after the timelock. Anyone may sign."""
    return await _prepare(actor, body, id, lambda market: market.governance.execute(id), f"Execute proposal {id}")


@router.post("/{id}/close", summary="A closing to sign", operation_id="governance_close")
async def close(id: Number, body: Act, actor: Acting) -> UnsignedAct:
    """Returns the rent of an ended proposal to its proposer. Anyone may sign."""
    return await _prepare(actor, body, id, lambda market: market.governance.close(id), f"Close proposal {id}")


async def _prepare(
    actor: Actor, body: Act, id: int, act: Callable[[Market], Awaitable[object]], says: str
) -> UnsignedAct:
    """An act on a proposal that exists, whose address the answer has."""
    return await actor.prepare(body, act, says, address=await actor.market.governance.address_of(id))
