"""The doctor's look at the certificate of a server."""

from __future__ import annotations

import ssl
import time
from urllib.parse import urlsplit

import pytest

from anchor_client.doctor import certificate as module
from anchor_client.doctor.certificate import DAY, certificate_of
from anchor_client.doctor.finding import Level
from tests.anchor_client.solana.test_http import OK, certificate, saying, serving, tls, trusted
from tests.processes.ports import free_ports

__all__ = ["certificate", "tls", "trusted"]


async def examined(context: ssl.SSLContext, least_seconds: int) -> module.Finding:
    async with serving(saying(OK), context) as server:
        return await certificate_of(urlsplit(server.url).netloc, least_seconds)


@pytest.fixture(autouse=True)
def fresh_trust(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Trust as it is now, not as it was when another test asked."""
    if "trusted" in request.fixturenames:
        request.getfixturevalue("trusted")
    monkeypatch.setattr(module, "trusting", module.trusting.__wrapped__)


@pytest.mark.usefixtures("trusted")
async def test_certificate__valid_for_a_day__is_well_or_soon_over(tls: ssl.SSLContext) -> None:
    well, soon = await examined(tls, DAY // 2), await examined(tls, 2 * DAY)
    assert (well.level, soon.level) == (Level.OK, Level.WARNING) and soon.remedy and not well.remedy
    for found in (well, soon):
        assert found.check == "certificate" and found.expires_at is not None
        assert DAY // 2 < found.expires_at - time.time() <= DAY


async def test_certificate__nobody_vouches_for_it__is_a_failure(tls: ssl.SSLContext) -> None:
    found = await examined(tls, 1)
    assert found.level is Level.FAILURE and "not valid" in found.message and found.expires_at is None


async def test_certificate__server_without_tls_or_none_at_all__is_a_failure() -> None:
    async with serving(saying(OK)) as server:
        plain = await certificate_of(urlsplit(server.url).netloc, 1)
    gone = await certificate_of(f"127.0.0.1:{free_ports(1)}", 1)
    for found in (plain, gone):
        assert found.level is Level.FAILURE and "cannot be reached" in found.message and found.remedy
