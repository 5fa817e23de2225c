"""What came back of a request, or why nothing did."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back of a request."""

    status: int
    text: str
    retry_after: str | None = None

    @property
    def is_success(self) -> bool:
        """Whether the server did what it was asked for."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def is_server_error(self) -> bool:
        """Whether the server says that the failure is its own."""
        return self.status >= HTTPStatus.INTERNAL_SERVER_ERROR


class HttpFailure(Exception):
    """Nothing that can be used came back."""


class NoHttpUrl(HttpFailure):
    """The URL is none of a server that speaks HTTP."""


class NoConnection(HttpFailure):
    """The server cannot be reached, or has closed the connection before it had answered."""


class TooSlow(HttpFailure):
    """The server has not answered in time."""


class Undecodable(HttpFailure):
    """What came back is not HTTP, cannot be unpacked, or is too large."""
