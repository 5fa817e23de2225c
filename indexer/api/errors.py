"""Every refusal has the same form: a name, a message and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException

from anchor_client import errors as client
from anchor_client.errors import GpuMarketError

log = structlog.get_logger(__name__)

CLIENT_STATUSES: Sequence[tuple[tuple[type[GpuMarketError], ...], int]] = (
    ((client.UnknownJob, client.UnknownListing, client.UnknownHost, client.UnknownMeter, client.UnknownRequest), 404),
    ((client.OrderNotSigned,), 422),
    ((client.RateLimited,), 503),
    ((client.UnreachableRpc, client.WrongEndpoint, client.RpcRefused, client.UnknownMarket), 502),
    ((client.NothingAvailable, client.SubsidyShort, client.UnknownVault, client.InsufficientBalance), 409),
    ((client.ProgramRefusal, client.TransactionRefused), 409),
)
"""What an order ran into decides the status: a name that is not there, the node, or the state of the market."""
STATUS_NAMES: Mapping[int, str] = {404: "not_found", 405: "method_not_allowed"}


class ErrorBody(BaseModel):
    """A refusal."""

    error: str = Field(description="A stable name for programs.", examples=["job_not_found"])
    message: str = Field(description="What is wrong, for people.", examples=["There is no job 9xQe..."])
    remedy: str = Field(description="What to do about it.", examples=["Check the id; GET /api/jobs lists all jobs."])


class ApiError(Exception):
    """A refusal with its HTTP status; `retry_after` seconds are how long to wait where waiting helps."""

    def __init__(self, status: int, error: str, message: str, remedy: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = ErrorBody(error=error, message=message, remedy=remedy)
        self.headers = {} if retry_after is None else {"Retry-After": str(retry_after)}

    def response(self) -> JSONResponse:
        """The refusal as it is sent."""
        return JSONResponse(self.body.model_dump(), self.status, self.headers)


def missing(what: str, id: object) -> ApiError:
    """The refusal of an id that the index does not know."""
    remedy = f"Check the id; a new {what} appears once it is final."
    return ApiError(404, f"{what}_not_found", f"There is no {what} {id}.", remedy)


def refusals(*statuses: int) -> dict[int | str, dict[str, object]]:
    """The refusals of a route, for its OpenAPI description."""
    return {status: {"model": ErrorBody} for status in statuses}


def add_error_handlers(app: FastAPI) -> None:
    """Turns what routes raise into refusals."""

    @app.exception_handler(ApiError)
    async def refuse(request: Request, error: ApiError) -> JSONResponse:
        return error.response()

    @app.exception_handler(GpuMarketError)
    async def market(request: Request, error: GpuMarketError) -> JSONResponse:
        return _answer(_status_of(error), _snake(type(error).__name__), error.message, error.remedy)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        found = "; ".join(f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in error.errors())
        return _answer(422, "invalid_request", found, "Change the named parts; /docs describes each.")

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        name = STATUS_NAMES.get(error.status_code, "http_error")
        return _answer(error.status_code, name, str(error.detail), "/docs lists what there is.")

    @app.exception_handler(OperationalError)
    async def database(request: Request, error: OperationalError) -> JSONResponse:
        log.error("database failed", path=request.url.path, error=str(error))
        return _answer(503, "database_unavailable", "The index cannot be read right now.", "Try again in a moment.")


def _status_of(error: GpuMarketError) -> int:
    return next((status for kinds, status in CLIENT_STATUSES if isinstance(error, kinds)), 400)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _answer(status: int, error: str, message: str, remedy: str) -> JSONResponse:
    return JSONResponse(ErrorBody(error=error, message=message, remedy=remedy).model_dump(), status)
