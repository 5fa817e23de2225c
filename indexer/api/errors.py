"""All refusals as application/problem+json of RFC 9457, with a cause and a remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from anchor_client import errors as client
from anchor_client.errors import GpuMarketError
from anchor_client.service.optional import optional
from anchor_client.service.redaction import scrub
from indexer.accounts.errors import NotSignedIn
from indexer.api.actions import form as action_form
from indexer.api.http.methods import AllowedMethods
from indexer.api.http.request_ids import request_id

log = structlog.get_logger(__name__)

MEDIA_TYPE = "application/problem+json"
CLIENT_STATUSES: Sequence[tuple[tuple[type[GpuMarketError], ...], int]] = (
    ((client.UnknownJob, client.UnknownListing, client.UnknownHost, client.UnknownMeter, client.UnknownRequest), 404),
    ((client.UnknownPaymentToken, client.UnknownProposal, client.UnknownVote), 404),
    ((client.OrderNotSigned, client.FiguresNotSigned, client.ReachNotSigned, client.WrongWallet), 403),
    ((client.MissingSignature,), 400),
    ((client.RateLimited,), 503),
    ((*client.NODE_FAILURES, client.UnknownMarket), 502),
    ((client.NothingAvailable, client.UnknownVault, client.InsufficientBalance), 409),
    (
        (client.NoCatalog, client.NoPool, client.NoStake, client.TooFewTokens, client.NothingToSend, client.NotWaiting),
        409,
    ),
    ((client.ProgramRefusal, client.TransactionRefused), 409),
)
"""HTTP status of each failure of an order: an unknown name, the node, or the state of the market."""
STATUS_NAMES: Mapping[int, str] = {404: "not_found", 405: "method_not_allowed"}
RETRY_SECONDS = 5
"""Seconds, named to clients, to wait after a failure of the node or the database."""
AGAIN = "Try again in a moment."


NETWORK_FULL: Final = "Remove one, or use a wallet that rents, hosts or stakes: it has a share of its own."


class Problem(BaseModel):
    """A refusal."""

    type: str = Field(default="about:blank", description="As in RFC 9457; `error` distinguishes problems.")
    title: str = Field(description="The HTTP status in words.", examples=["Not Found"])
    status: int = Field(description="The HTTP status.", examples=[404])
    detail: str = Field(description="The problem in words.", examples=["There is no job 9xQe..."])
    error: str = Field(description="A stable name for programs.", examples=["job_not_found"])
    remedy: str = Field(description="The remedy.", examples=["Check the id; GET /api/jobs lists all jobs."])
    parameter: str | None = Field(default=None, description="The wrong query parameter, if there is one.")
    allowed: list[str] | None = Field(default=None, description="The route's query parameters.")
    request_id: str | None = Field(default=None, description="The request's X-Request-Id, also in the server's log.")


class ApiError(Exception):
    """A refusal with its HTTP status; `retry_after` seconds are how long to wait where waiting helps."""

    def __init__(
        self,
        status: int,
        error: str,
        detail: str,
        remedy: str,
        *,
        retry_after: int | None = None,
        headers: Mapping[str, str] | None = None,
        parameter: str | None = None,
        allowed: Sequence[str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.problem = Problem(
            title=HTTPStatus(status).phrase,
            status=status,
            detail=scrub(detail),
            error=error,
            remedy=scrub(remedy),
            parameter=parameter,
            allowed=optional(list, allowed),
        )
        self.headers = dict(headers or {})
        if retry_after is not None:
            self.headers["Retry-After"] = str(retry_after)

    def response(self, path: str) -> JSONResponse:
        """The refusal in the form of a path's answers."""
        if path.startswith(action_form.PREFIX):
            failure = action_form.ActionError(
                message=f"{self.problem.detail} {self.problem.remedy}", error=self.problem.error
            )
            headers = {**self.headers, action_form.VERSION_HEADER: action_form.VERSION}
            return JSONResponse(failure.model_dump(), self.problem.status, headers)
        told = {**self.problem.model_dump(), "request_id": request_id.get()}
        return JSONResponse(told, self.problem.status, self.headers, MEDIA_TYPE)


def missing(what: str, id: object) -> ApiError:
    """The refusal of an id that the index does not know."""
    remedy = f"Check the id; a new {what} appears once it is final."
    return ApiError(404, f"{what}_not_found", f"There is no {what} {id}.", remedy)


def unauthorized(error: NotSignedIn) -> ApiError:
    """The refusal of a credential or a signature."""
    return ApiError(401, error.error, error.detail, error.remedy, headers={"WWW-Authenticate": "Bearer"})


def refusal_of(error: GpuMarketError) -> ApiError:
    """The refusal for an error of the client; details of the node's failures stay hidden."""
    status = _status_of(error)
    name = error_name(error)
    if isinstance(error, client.NODE_FAILURES):
        detail = "The node of this API does not respond as expected."
        return ApiError(status, name, detail, AGAIN, retry_after=RETRY_SECONDS)
    return ApiError(status, name, error.message, error.remedy)


def refusals(*statuses: int) -> dict[int | str, dict[str, object]]:
    """The refusals of a route, for its OpenAPI description, which has their schema once: see `completed`."""
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {status: {"content": {MEDIA_TYPE: schema}} for status in statuses}


def refusal_of_http(error: HTTPException) -> ApiError:
    """The refusal for an error of the framework."""
    name = STATUS_NAMES.get(error.status_code, "http_error")
    return ApiError(error.status_code, name, str(error.detail), "/docs lists all routes.", headers=error.headers)


def _wrong(item: Mapping[str, str]) -> str:
    """Fault of a part of a request, without the regular expression that it does not match."""
    return "has another form than /docs shows" if item["type"] == "string_pattern_mismatch" else item["msg"]


def add_error_handlers(app: FastAPI) -> None:
    """Turns what routes raise into refusals."""
    allowed = AllowedMethods(app)

    @app.exception_handler(ApiError)
    async def refuse(request: Request, error: ApiError) -> JSONResponse:
        return error.response(request.url.path)

    @app.exception_handler(NotSignedIn)
    async def not_signed_in(request: Request, error: NotSignedIn) -> JSONResponse:
        return unauthorized(error).response(request.url.path)

    @app.exception_handler(GpuMarketError)
    async def market(request: Request, error: GpuMarketError) -> JSONResponse:
        if isinstance(error, client.NODE_FAILURES):
            log.error("the node failed", path=request.url.path, error=error.message)
        return refusal_of(error).response(request.url.path)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        if allowed.excludes(request.method, request.url.path):
            return await http(request, HTTPException(HTTPStatus.METHOD_NOT_ALLOWED))
        found = "; ".join(f"{'.'.join(str(part) for part in item['loc'])}: {_wrong(item)}" for item in error.errors())
        return ApiError(422, "invalid_request", found, "Correct the named parts; /docs describes each.").response(
            request.url.path
        )

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        refusal = refusal_of_http(error)
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            refusal.headers["Allow"] = allowed.of(request.url.path)
        return refusal.response(request.url.path)

    @app.exception_handler(SQLAlchemyError)
    async def database(request: Request, error: SQLAlchemyError) -> JSONResponse:
        log.error("database failed", path=request.url.path, error=str(error))
        detail = "The index cannot be read or written at the moment."
        return ApiError(503, "database_unavailable", detail, AGAIN, retry_after=RETRY_SECONDS).response(
            request.url.path
        )

    @app.exception_handler(Exception)
    async def bug(request: Request, error: Exception) -> JSONResponse:
        log.error("request failed", path=request.url.path, exc_info=error)
        remedy = "Try again; if it persists, report it."
        return ApiError(500, "internal_error", "An internal error occurred.", remedy).response(request.url.path)


def _status_of(error: GpuMarketError) -> int:
    return next((status for kinds, status in CLIENT_STATUSES if isinstance(error, kinds)), 400)


def error_name(error: Exception) -> str:
    """The stable name of an error: its class's, in snake case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(error).__name__).lower()
