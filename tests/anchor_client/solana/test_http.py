"""HTTP/1.1 with real servers: what they may say, what they get wrong, and how connections are kept."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from anchor_client.solana.http import dialing
from anchor_client.solana.http.address import Address
from anchor_client.solana.http.answer import HttpFailure, NoConnection, NoHttpUrl, TooSlow, Undecodable
from anchor_client.solana.http.client import MOST_CONNECTIONS, HttpClient
from tests.anchor_client.solana.servers import Serve, serving
from tests.processes.patience import PATIENCE

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def saying(answer: bytes | None) -> Serve:
    """Always the same answer."""

    async def serve(request: bytes) -> bytes | None:
        return answer

    return serve


async def asked(answer: bytes | None, seconds: float = PATIENCE) -> str:
    """Text that a client reads from an answer."""
    async with serving(saying(answer)) as server, HttpClient(server.url, timeout=seconds) as client:
        return (await client.post(b"{}")).text


async def test_post__many_at_once_and_again__connections_are_kept() -> None:
    async with serving(saying(OK)) as server, HttpClient(server.url, timeout=PATIENCE) as client:
        for _ in range(10):
            await asyncio.gather(*(client.post(b"{}") for _ in range(8)))
    assert len(server.requests) == 80 and server.connections == 8


async def test_post__more_at_once_than_connections__wait_for_each_other() -> None:
    answered = asyncio.Event()
    waiting = 0

    async def serve(request: bytes) -> bytes:
        nonlocal waiting
        waiting += 1
        if waiting == MOST_CONNECTIONS:
            answered.set()
        await answered.wait()
        return OK

    async with serving(serve) as server, HttpClient(server.url, timeout=PATIENCE) as client:
        answers = await asyncio.gather(*(client.post(b"{}") for _ in range(2 * MOST_CONNECTIONS)))
    assert [answer.text for answer in answers] == ["ok"] * 2 * MOST_CONNECTIONS
    assert server.connections == MOST_CONNECTIONS


async def test_post__url_with_user_path_and_query__all_reach_the_server() -> None:
    async with serving(saying(OK)) as server:
        url = server.url.replace("://", "://me:se%20cret@") + "/v2/ä?key=1"
        async with HttpClient(url, timeout=PATIENCE) as client:
            await client.post(b"[1]")
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v2/%C3%A4?key=1 HTTP/1.1\r\nHost: 127.0.0.1:") and body == b"[1]"
    assert b"\r\nAuthorization: Basic bWU6c2UgY3JldA==" in head


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s"
        % (len(gzip.compress(b"ok")), gzip.compress(b"ok")),
    ],
    ids=["after an interim answer", "in chunks", "packed"],
)
async def test_post__answer_in_another_form__is_read(answer: bytes) -> None:
    assert await asked(answer) == "ok"


async def test_post__answer_without_a_length__ends_with_the_connection() -> None:
    async def serve(request: bytes) -> bytes | None:
        asyncio.get_running_loop().call_later(0.05, server.hang_up)
        return b"HTTP/1.1 200 OK\r\n\r\nok"

    async with serving(serve) as server, HttpClient(server.url, timeout=PATIENCE) as client:
        assert (await client.post(b"")).text == "ok"


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (b"SSH-2.0-OpenSSH\r\n", Undecodable),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok", Undecodable),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n" + b" " * 2**16, Undecodable),
        (None, NoConnection),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", TooSlow),
        (b"", TooSlow),
    ],
    ids=["not HTTP", "not packed", "too large", "hangs up", "half of it", "silent"],
)
async def test_post__server_that_fails__is_named(
    monkeypatch: pytest.MonkeyPatch, answer: bytes | None, failure: type[HttpFailure]
) -> None:
    monkeypatch.setattr("anchor_client.solana.http.connection.MOST_BYTES", 2**15)
    with pytest.raises(failure):
        await asked(answer, seconds=0.2 if failure is TooSlow else PATIENCE)


async def test_post__bomb__is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anchor_client.solana.http.connection.MOST_BYTES", 2**15)
    packed = gzip.compress(bytes(2**20))
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (len(packed), packed)
    with pytest.raises(Undecodable, match="too large"):
        await asked(answer)


async def test_post__connection_that_was_closed_while_idle__is_replaced() -> None:
    async with serving(saying(OK)) as server, HttpClient(server.url, timeout=PATIENCE) as client:
        await client.post(b"{}")
        server.hang_up()
        assert (await client.post(b"{}")).text == "ok"
    assert server.connections == 2


async def test_post__given_up_by_its_caller__the_next_gets_its_own_answer() -> None:
    begun = asyncio.Event()

    async def serve(request: bytes) -> bytes | None:
        if request.endswith(b"slow"):
            begun.set()
            await asyncio.sleep(0.1)
            return b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow"
        return OK

    async with serving(serve) as server, HttpClient(server.url, timeout=PATIENCE) as client:
        slow = asyncio.create_task(client.post(b"slow"))
        await begun.wait()
        slow.cancel()
        await asyncio.wait([slow])
        assert [(await client.post(b"{}")).text for _ in range(3)] == ["ok"] * 3


async def test_post__more_than_was_asked_for__is_not_taken_for_the_next_answer() -> None:
    async with (
        serving(saying(OK + OK.replace(b"ok", b"no"))) as server,
        HttpClient(server.url, timeout=PATIENCE) as client,
    ):
        assert [(await client.post(b"{}")).text for _ in range(3)] == ["ok"] * 3


async def test_close__requests_that_wait__end() -> None:
    async with serving(saying(b"")) as server:
        client = HttpClient(server.url, timeout=10 * PATIENCE)
        waiting = asyncio.create_task(client.post(b"{}"))
        while not server.requests:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        async with asyncio.timeout(PATIENCE):
            await client.close()
            with pytest.raises(NoConnection):
                await waiting


@pytest.mark.parametrize("url", ["ftp://x.example", "http://", "http://[::1", "http://x:port/", "x", "http://x:0/"])
async def test_post__what_is_no_url__is_named(url: str) -> None:
    with pytest.raises(NoHttpUrl):
        await HttpClient(url, timeout=1).post(b"")


def test_target__path_below_the_url__keeps_its_query() -> None:
    assert Address.of("https://x.example/base/?a=b").target("/api") == "/base/api?a=b"
    assert Address.of("https://x.example").target() == "/"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1 and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    address = x509.IPAddress(ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "certificate.pem"
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(made.public_bytes(pem) + secret)
    return file


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    """TLS context of a server with this certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


@pytest.fixture
def trusted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients trust the certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setattr(dialing, "trusting", dialing.trusting.__wrapped__)


@pytest.mark.usefixtures("trusted")
async def test_post__over_tls__is_answered(tls: ssl.SSLContext) -> None:
    async with serving(saying(OK), tls) as server, HttpClient(server.url, timeout=PATIENCE) as client:
        assert (await client.post(b"{}")).text == "ok"


async def test_post__certificate_of_nobody__is_refused(tls: ssl.SSLContext) -> None:
    async with serving(saying(OK), tls) as server, HttpClient(server.url, timeout=PATIENCE) as client:
        with pytest.raises(NoConnection):
            await client.post(b"{}")
    assert not server.requests


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("over_tls", [False, True], ids=["http", "https"])
async def test_post__proxy_of_the_environment__leads_to_the_server(
    monkeypatch: pytest.MonkeyPatch, tls: ssl.SSLContext, over_tls: bool
) -> None:
    opened: list[bytes] = []
    proxying: list[asyncio.Task[None] | None] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        proxying.append(asyncio.current_task())
        opened.append((await reader.readuntil(b"\r\n\r\n")).partition(b"\r")[0])
        port = int(opened[-1].split()[1].rpartition(b":")[2])
        onward_reader, onward = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_copy(reader, onward), _copy(onward_reader, writer))

    async with (
        serving(saying(OK), tls if over_tls else None) as server,
        await asyncio.start_server(proxy, "127.0.0.1", 0) as listening,
    ):
        address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        monkeypatch.setenv("https_proxy" if over_tls else "http_proxy", address)
        async with HttpClient(server.url, timeout=PATIENCE) as client:
            assert (await client.post(b"{}")).text == "ok"
        await asyncio.wait(list(filter(None, proxying)))
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        async with HttpClient(server.url, timeout=PATIENCE) as client:
            assert (await client.post(b"{}")).text == "ok"
    assert len(opened) == 1 and opened[0].startswith(b"CONNECT 127.0.0.1:")


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while part := await reader.read(2**16):
            writer.write(part)
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()
