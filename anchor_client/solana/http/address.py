"""A URL taken apart."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from typing import Final, Self
from urllib.parse import quote, unquote, urlsplit

from anchor_client.solana.http.answer import NoHttpUrl

PORTS: Final = {"http": 80, "https": 443}
_KEPT: Final = "/%:@!$&'()*+,;=~?[]"


@dataclass(frozen=True, slots=True)
class Address:
    """A server and a place on it. `authority` is its name and port as requests say them."""

    host: str
    port: int
    is_tls: bool
    authority: str
    path: str = field(repr=False)
    query: str = field(repr=False)
    authorization: str | None = field(repr=False)

    @classmethod
    def of(cls, url: str) -> Self:
        """The parts of an http or https URL. NoHttpUrl."""
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").encode("idna").decode()
            port = parts.port
        except (ValueError, UnicodeError) as error:
            raise NoHttpUrl("it cannot be read as a URL") from error
        if parts.scheme not in PORTS or not host or port == 0:
            raise NoHttpUrl("it is not an http or https URL")
        named = f"[{host}]" if ":" in host else host
        return cls(
            host=host,
            port=port or PORTS[parts.scheme],
            is_tls=parts.scheme == "https",
            authority=named if port is None else f"{named}:{port}",
            path=quote(parts.path, safe=_KEPT),
            query=quote(parts.query, safe=_KEPT),
            authorization=_basic(parts.username, parts.password),
        )

    def target(self, path: str = "") -> str:
        """Target of a request: `path` below the URL's own."""
        whole = self.path.rstrip("/") + path if path else self.path
        return f"{whole or '/'}?{self.query}" if self.query else whole or "/"


def _basic(user: str | None, password: str | None) -> str | None:
    if user is None and password is None:
        return None
    return "Basic " + b64encode(f"{unquote(user or '')}:{unquote(password or '')}".encode()).decode()
