"""The answer to a request, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The answer to a request."""

    status: int
    text: str
    retry_after: str | None = None
    headers: Mapping[bytes, bytes] = field(default_factory=dict, repr=False)
    """By their names in lower case."""

    @property
    def is_success(self) -> bool:
        """True where the status is 2xx."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def is_server_error(self) -> bool:
        """True if the server reports an internal failure (5xx)."""
        return self.status >= HTTPStatus.INTERNAL_SERVER_ERROR


class HttpFailure(Exception):
    """No usable answer came back."""


class NoHttpUrl(HttpFailure):
    """Not an http or https URL."""


class NoConnection(HttpFailure):
    """The server cannot be reached, or has closed the connection before it had answered."""


class TooSlow(HttpFailure):
    """The server has not answered in time."""


class Undecodable(HttpFailure):
    """The answer is not HTTP, cannot be unpacked, or is too large."""
