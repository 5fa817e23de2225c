"""The certificate that an agent shows: made once, or the operator's, which is read again when it changes."""

from __future__ import annotations

import base64
import hashlib
import ssl
from pathlib import Path

import pytest

from host_agent.errors import HostConfigurationError
from host_agent.web import TlsIdentity
from tests.host_agent.docker.https import answering, shown_certificate


def pem(folder: Path, name: str, address: str) -> Path:
    """A certificate for an address with its key, in one file."""
    TlsIdentity.load_or_create(folder / name, address)
    return folder / name


async def test_own__made_once__is_the_same_for_ever_and_pinned(tmp_path: Path) -> None:
    file = tmp_path / "state" / "certificate.pem"
    first = TlsIdentity.load_or_create(file, "gpu1.example.com")
    made = file.read_bytes()
    again = TlsIdentity.load_or_create(file, "192.0.2.7")
    assert (again.pin, file.read_bytes(), file.stat().st_mode & 0o777) == (first.pin, made, 0o600)
    async with answering(again.context) as port:
        shown = hashlib.sha256(await shown_certificate(port)).digest()
    assert first.pin is not None and base64.b64decode(f"{first.pin}=") == shown


@pytest.mark.parametrize("content", ["", "nothing of a certificate"])
def test_own__file_holds_none__is_said(tmp_path: Path, content: str) -> None:
    (tmp_path / "certificate.pem").write_text(content)
    with pytest.raises(HostConfigurationError, match=r"certificate\.pem"):
        TlsIdentity.load_or_create(tmp_path / "certificate.pem", "gpu1.example.com")


@pytest.mark.parametrize(
    ("of", "address"),
    [
        ("gpu1.example.com", "GPU1.example.com"),
        ("*.example.com", "gpu1.example.com"),
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::7", "2001:db8:0::7"),
    ],
)
def test_operators__for_the_address__has_no_pin(tmp_path: Path, of: str, address: str) -> None:
    file = pem(tmp_path, "own.pem", of)
    assert TlsIdentity.of_operator(file, file, address).pin is None


@pytest.mark.parametrize(
    ("of", "address"),
    [("gpu1.example.com", "gpu2.example.com"), ("*.example.com", "a.b.example.com"), ("192.0.2.7", "192.0.2.8")],
)
def test_operators__for_another_address__is_refused(tmp_path: Path, of: str, address: str) -> None:
    file = pem(tmp_path, "own.pem", of)
    with pytest.raises(HostConfigurationError, match=f"is not for {address}"):
        TlsIdentity.of_operator(file, file, address)


def test_operators__key_of_another__is_refused(tmp_path: Path) -> None:
    one, other = (pem(tmp_path, name, "gpu1.example.com") for name in ("one.pem", "other.pem"))
    with pytest.raises(HostConfigurationError, match=r"other\.pem cannot be used"):
        TlsIdentity.of_operator(one, other, "gpu1.example.com")


async def test_refresh__files_renewed__next_connection_has_the_new_one(tmp_path: Path) -> None:
    file = pem(tmp_path, "live.pem", "gpu1.example.com")
    identity = TlsIdentity.of_operator(file, file, "gpu1.example.com")
    async with answering(identity.context) as port:
        before = await shown_certificate(port)
        pem(tmp_path, "renewed.pem", "gpu1.example.com").replace(file)
        assert await shown_certificate(port) == before
        identity.refresh()
        renewed = await shown_certificate(port)
    assert renewed == ssl.PEM_cert_to_DER_cert(file.read_text().partition("-----END PRIVATE KEY-----\n")[2])
    assert renewed != before


async def test_refresh__new_files_do_not_fit__old_one_stays_until_they_do(tmp_path: Path) -> None:
    certificate, key = (pem(tmp_path, name, "gpu1.example.com") for name in ("fullchain.pem", "unused.pem"))
    certificate.replace(tmp_path / "key.pem")
    certificate.write_bytes((tmp_path / "key.pem").read_bytes())
    identity = TlsIdentity.of_operator(certificate, tmp_path / "key.pem", "gpu1.example.com")
    async with answering(identity.context) as port:
        before = await shown_certificate(port)
        certificate.write_bytes(key.read_bytes())
        identity.refresh()
        assert await shown_certificate(port) == before
        (tmp_path / "key.pem").unlink()
        identity.refresh()
        assert await shown_certificate(port) == before
        key.replace(tmp_path / "key.pem")
        identity.refresh()
        assert await shown_certificate(port) != before
