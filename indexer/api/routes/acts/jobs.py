"""POST /api/jobs/{id}/...: acts of a job's renter, its host, or anyone."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from solders.pubkey import Pubkey

from anchor_client.amounts import duration
from anchor_client.generated.types import CloseReason
from anchor_client.service.optional import optional
from indexer.api.actions.acts import REFUSALS, Act, Acting, UnsignedAct
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText, AmountText, HexText, IssueText, ReasonText

router = StrictRouter(prefix="/api/jobs/{id}", tags=["jobs"], responses=REFUSALS)
Job = AddressText


class Extension(Act):
    """Additional time for a job."""

    seconds: int = Field(ge=1, lt=2**32, examples=[3600])
    max_cost: AmountText | None = Field(default=None, description="Maximum cost, base units of the job's mint.")


class Stop(Act):
    """An optional problem report."""

    issue: IssueText | None = Field(default=None, description="The problem with the machine.")


class Issue(Act):
    """A problem with the machine of a job that keeps running."""

    issue: IssueText = Field(examples=["unreachable"])


class MachineRating(Act):
    """Rating of the machine."""

    rating: int = Field(ge=1, le=5)


class Acceptance(Act):
    """Connection details of the machine."""

    connection: Annotated[HexText, Field(max_length=1_280, description="Sealed to the key in the order; hex.")]


class Cancellation(Act):
    """The host's reason for giving a job up."""

    reason: ReasonText = Field(default="host-fault", description="Before the start an order can be refused.")


class Exit(Act):
    """Exit code of the order's command."""

    exit_code: int = Field(ge=0, le=255)


@router.post("/extend", summary="An extension to sign", operation_id="rental_extend")
async def extend(id: Job, body: Extension, actor: Acting) -> UnsignedAct:
    """Buys more time at the job's own rates. Its renter signs."""
    most = optional(int, body.max_cost)
    job = Pubkey.from_string(id)
    says = f"Extend job {id} by {duration(body.seconds)}"
    return await actor.prepare(
        body, lambda market: market.rental.extend(job, body.seconds, max_cost=most), says, address=id
    )


@router.post("/stop", summary="A stop to sign", operation_id="rental_stop")
async def stop(id: Job, body: Stop, actor: Acting) -> UnsignedAct:
    """Ends the job: the seconds used are paid and the rest is refunded in the same transaction. Its renter signs."""
    job = Pubkey.from_string(id)
    return await actor.prepare(
        body, lambda market: market.rental.stop(job, issue=body.issue), f"Stop job {id}", address=id
    )


@router.post("/issues", summary="A report to sign", operation_id="rental_report_issue")
async def report_issue(id: Job, body: Issue, actor: Acting) -> UnsignedAct:
    """Reports a problem with the machine; the job continues. Its renter signs. Within an hour of the start
    `not-as-listed` waives the minimum charge and weighs against the host by the renter's earlier payments, if these are
    at least the charge and not used by another report.
    """
    job = Pubkey.from_string(id)
    says = f"Report job {id}: {body.issue}"
    return await actor.prepare(body, lambda market: market.rental.report_issue(job, body.issue), says, address=id)


@router.post("/rate", summary="A rating to sign", operation_id="rental_rate")
async def rate(id: Job, body: MachineRating, actor: Acting) -> UnsignedAct:
    """Rates a job once, after the market's `min_rated_seconds`: while it runs, or once its command has ended as long as
    that may be contested. Its renter signs.
    """
    job = Pubkey.from_string(id)
    says = f"Rate job {id} {body.rating} of 5"
    return await actor.prepare(body, lambda market: market.rental.rate(job, body.rating), says, address=id)


@router.post("/contest", summary="A contest to sign", operation_id="rental_contest_finish")
async def contest(id: Job, body: Act, actor: Acting) -> UnsignedAct:
    """Denies that the command of a finished job had ended: its host loses the holdback, and it weighs as a report does.
    Its renter signs, and gets the same either way.
    """
    job = Pubkey.from_string(id)
    says = f"Contest that job {id} has finished"
    return await actor.prepare(body, lambda market: market.rental.contest_finish(job), says, address=id)


@router.post("/refund", summary="A refund to sign", operation_id="rental_claim_refund")
async def refund(id: Job, body: Act, actor: Acting) -> UnsignedAct:
    """Pays the renter an ended job's unpaid refund. Anyone may sign."""
    job = Pubkey.from_string(id)
    says = f"Claim the refund of job {id}"
    return await actor.prepare(body, lambda market: market.rental.claim_refund(job), says, address=id)


@router.post("/accept", summary="An acceptance to sign", operation_id="rental_accept")
async def accept(id: Job, body: Acceptance, actor: Acting) -> UnsignedAct:
    """Accepts the order and submits the connection. The listing's operator signs."""
    job = Pubkey.from_string(id)
    sealed = bytes.fromhex(body.connection)
    return await actor.prepare(body, lambda market: market.rental.accept(job, sealed), f"Accept job {id}", address=id)


@router.post("/start", summary="A start to sign", operation_id="rental_start")
async def start(id: Job, body: Act, actor: Acting) -> UnsignedAct:
    """The machine is up: its time counts. The listing's operator signs."""
    job = Pubkey.from_string(id)
    return await actor.prepare(body, lambda market: market.rental.start(job), f"Start job {id}", address=id)


@router.post("/cancel", summary="A cancellation to sign", operation_id="rental_cancel")
async def cancel(id: Job, body: Cancellation, actor: Acting) -> UnsignedAct:
    """Gives the job up, or refuses its order. The listing's operator signs."""
    job = Pubkey.from_string(id)
    reason = CloseReason[body.reason.upper().replace("-", "_")]
    says = f"Give up job {id}: {body.reason}"
    return await actor.prepare(body, lambda market: market.rental.cancel(job, reason), says, address=id)


@router.post("/finish", summary="An end to sign", operation_id="rental_finish")
async def finish(id: Job, body: Exit, actor: Acting) -> UnsignedAct:
    """Ends a job whose command has ended, if its renter has agreed to that. The listing's operator signs."""
    job = Pubkey.from_string(id)
    says = f"End job {id}, whose command has ended with {body.exit_code}"
    return await actor.prepare(body, lambda market: market.rental.finish(job, body.exit_code), says, address=id)


@router.post("/settle", summary="A settlement to sign", operation_id="rental_settle")
async def settle(id: Job, body: Act, actor: Acting) -> UnsignedAct:
    """Pays the host's earnings so far. Anyone may sign."""
    job = Pubkey.from_string(id)
    says = f"Pay the earnings of job {id} to its host"
    return await actor.prepare(body, lambda market: market.rental.settle(job), says, address=id)


@router.post("/release", summary="A release to sign", operation_id="rental_release_holdback")
async def release(id: Job, body: Act, actor: Acting) -> UnsignedAct:
    """Pays the host the holdback of a finished job that can no longer be contested. Anyone may sign."""
    job = Pubkey.from_string(id)
    says = f"Release the holdback of job {id}"
    return await actor.prepare(body, lambda market: market.rental.release_holdback(job), says, address=id)
