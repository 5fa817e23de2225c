"""A request as it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from anchor_client.solana.http.address import Address

USUAL: Final = {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "gpu-market"}
"""Headers of every request that names no others."""


def request_of(
    server: Address, method: str, path: str = "", *, body: bytes | None = None, headers: Mapping[str, str]
) -> bytes:
    """A request for a path below the server's URL, with a body of JSON."""
    lines = [f"{method} {server.target(path)} HTTP/1.1", f"Host: {server.authority}"]
    lines += [f"{name}: {value}" for name, value in {**USUAL, **headers}.items()]
    if server.authorization is not None and "Authorization" not in headers:
        lines.append(f"Authorization: {server.authorization}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + (body or b"")
