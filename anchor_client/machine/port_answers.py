"""A port's answer to an HTTP request, with the certificate that it shows."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

REQUEST: Final = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
MOST_BYTES: Final = 16_384
SSH_GREETING: Final = b"SSH-2.0-"


@dataclass(frozen=True, slots=True)
class PortAnswer:
    """The first bytes of an answer, and the certificate's SHA-256 in hex, by TLS."""

    text: bytes
    certificate: str | None = None


async def port_answer(host: str, port: int, *, tls: bool) -> PortAnswer | None:
    """The answer; None if nothing listens, or it speaks no TLS. Waits for as long as the port keeps the connection."""
    try:
        reader, writer = await asyncio.open_connection(host, port, ssl=_unverified() if tls else None)
    except OSError:
        return None
    try:
        writer.write(REQUEST)
        text = await _first_bytes(reader)
        return PortAnswer(text, _certificate(writer) if tls else None)
    except OSError:
        return None
    finally:
        writer.close()


async def _first_bytes(reader: asyncio.StreamReader) -> bytes:
    """Until the other side hangs up; an SSH server, which speaks first, may go on waiting."""
    text = b""
    with suppress(ConnectionError):
        while len(text) < MOST_BYTES and not text.startswith(SSH_GREETING):
            part = await reader.read(MOST_BYTES - len(text))
            if not part:
                break
            text += part
    return text


def _certificate(writer: asyncio.StreamWriter) -> str:
    shown: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    return sha256(shown).hexdigest()


def _unverified() -> ssl.SSLContext:
    """TLS of a client that compares the certificate itself."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
