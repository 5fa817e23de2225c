"""The certificate with which a server, as the reverse proxy before the API, proves its name."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator
from typing import Final

from anchor_client.doctor.context import Context
from anchor_client.doctor.finding import Finding, Level, failure
from anchor_client.solana.http.dialing import trusting

CHECK: Final = "certificate"
SECONDS: Final = 10.0
PORT: Final = 443
DAY: Final = 86_400
LEAST_DAYS: Final = 14
RENEW: Final = "Renew it, and have the reverse proxy load the new one."


async def check_certificate(context: Context) -> AsyncIterator[Finding]:
    """Checks that a server is trusted under its name, and reports when its certificate expires."""
    if context.tls_server is not None:
        yield await certificate_of(context.tls_server, LEAST_DAYS * DAY)


async def certificate_of(server: str, least_seconds: int) -> Finding:
    """The finding on a server, NAME or NAME:PORT, whose certificate should be valid for `least_seconds` more."""
    host, port = _address(server)
    try:
        expires_at = await _expiry(host, port)
    except ssl.SSLCertVerificationError as error:
        return failure(CHECK, f"the certificate of {host} is not valid: {error.verify_message}", RENEW)
    except (OSError, TimeoutError, UnicodeError) as error:
        told = f"{host}:{port} cannot be reached with TLS: {error or 'too slow'}"
        return failure(CHECK, told, "Check the reverse proxy, and the name (`--certificate`).")
    left = expires_at - int(time.time())
    text = f"the certificate of {host} is valid for {left // DAY} days"
    if left < least_seconds:
        return Finding(CHECK, Level.WARNING, text, RENEW, expires_at)
    return Finding(CHECK, Level.OK, text, expires_at=expires_at)


def _address(server: str) -> tuple[str, int]:
    host, separator, port = server.rpartition(":")
    return (host.strip("[]"), int(port)) if separator and port.isdigit() else (server, PORT)


async def _expiry(host: str, port: int) -> int:
    """Unix seconds at which the certificate expires, rounded down. SSLCertVerificationError, OSError, TimeoutError."""
    async with asyncio.timeout(SECONDS):
        _, writer = await asyncio.open_connection(host, port, ssl=trusting(), server_hostname=host)
    try:
        until = writer.get_extra_info("peercert")["notAfter"]
        return int(ssl.cert_time_to_seconds(until))
    finally:
        writer.close()
