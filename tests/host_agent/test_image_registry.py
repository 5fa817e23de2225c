"""An image's environment as its registry shows it, and registries that show none or lead elsewhere."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path

import pytest

from anchor_client.service import name_lookup
from anchor_client.solana.http import dialing
from host_agent.errors import OrderRefused
from host_agent.images import registry as image_registry
from host_agent.images.manifests import NotRead
from host_agent.images.registry import MOST_LOOKUPS, ImageRegistry
from host_agent.web import TlsIdentity
from tests.anchor_client.solana.servers import Server, serving
from tests.indexer.service import until
from tests.processes.patience import PATIENCE

HERE = "127.0.0.1"
CONFIG = json.dumps({"config": {"Env": ["NVIDIA_REQUIRE_CUDA=cuda>=12.6", "A=b=c", "EMPTY="]}})
ENV = {"NVIDIA_REQUIRE_CUDA": "cuda>=12.6", "A": "b=c", "EMPTY": ""}
Pages = dict[str, Callable[[bytes], bytes]]


def digest(data: str) -> str:
    return f"sha256:{sha256(data.encode()).hexdigest()}"


MANIFEST = json.dumps({"schemaVersion": 2, "config": {"digest": digest(CONFIG)}, "layers": [{"digest": "any"}]})
INDEX = json.dumps(
    {
        "manifests": [
            {"digest": digest("arm"), "platform": {"os": "linux", "architecture": "arm64"}},
            {"digest": digest(MANIFEST), "platform": {"os": "linux", "architecture": "amd64"}},
        ]
    }
)


def page(body: str, status: str = "200 OK", *headers: str) -> Callable[[bytes], bytes]:
    """An answer that is always the same."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", body]
    return lambda request: "\r\n".join(lines).encode()


def moved(place: str) -> Callable[[bytes], bytes]:
    return page("", "307 Temporary Redirect", f"Location: {place}")


@pytest.fixture
def pages() -> Pages:
    """Answers of the registry, by path."""
    return {
        "/v2/own/image/manifests/1": page(INDEX),
        f"/v2/own/image/manifests/{digest(MANIFEST)}": page(MANIFEST),
        f"/v2/own/image/blobs/{digest(CONFIG)}": page(CONFIG),
    }


@pytest.fixture
async def registry(pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    identity = TlsIdentity.load_or_create(tmp_path / "registry.pem", HERE)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "registry.pem"))
    monkeypatch.setattr(dialing, "trusting", dialing.trusting.__wrapped__)

    async def answer(request: bytes) -> bytes | None:
        path = request.split(b" ")[1].decode().partition("?")[0]
        return pages.get(path, page("{}", "404 Not Found"))(request)

    async with serving(answer, tls=identity.context) as server:
        server.url = server.url.replace("http://", "https://")
        yield server


async def read(registry: Server, name: str = "own/image:1") -> dict[str, str]:
    """The environment of an image at the registry, which is on this machine."""
    return await ImageRegistry({HERE}.__contains__).image_env(f"{registry.url.partition('//')[2]}/{name}", "amd64")


async def test_image_env__more_settings_than_an_engine_handles_soon__is_refused_unread(
    registry: Server, pages: Pages
) -> None:
    for size, fault in ((2**20, nullcontext()), (2**20 + 1, pytest.raises(OrderRefused, match="1048577 bytes of set"))):
        pages["/v2/own/image/manifests/1"] = page(json.dumps({"config": {"digest": digest(CONFIG), "size": size}}))
        with fault:
            assert await read(registry) == ENV


async def test_image_env__list_of_builds__is_that_of_the_machines(registry: Server) -> None:
    assert await read(registry) == ENV


async def test_image_env__one_build__by_tag_by_digest_and_without_either(registry: Server, pages: Pages) -> None:
    pages["/v2/own/image/manifests/latest"] = page(MANIFEST)
    for name in ("own/image", f"own/image:1@{digest(MANIFEST)}", f"own/image@{digest(MANIFEST)}"):
        assert await read(registry, name) == ENV


async def test_image_env__registry_asks_for_a_token_and_sends_elsewhere__only_the_registry_gets_it(
    registry: Server, pages: Pages
) -> None:
    challenge = (
        f'WWW-Authenticate: Bearer realm="{registry.url}/token?x=1",service="s",scope="repository:own/image:pull"'
    )

    def guarded(answer: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
        refused = page("", "401 Unauthorized", challenge)
        return lambda request: (answer if b"Authorization: Bearer secret\r\n" in request else refused)(request)

    for path in [*pages]:
        pages[path] = guarded(pages[path])
    pages["/token"] = page('{"access_token": "secret"}')
    pages[f"/v2/own/image/blobs/{digest(CONFIG)}"] = guarded(moved("/elsewhere"))
    pages["/elsewhere"] = page(CONFIG)
    assert await read(registry) == ENV
    [token] = [each for each in registry.requests if b"/token" in each]
    assert b"GET /token?x=1&service=s&scope=repository%3Aown%2Fimage%3Apull " in token
    assert b"Authorization" not in registry.requests[-1] and b"GET /elsewhere " in registry.requests[-1]


@pytest.mark.parametrize(
    "answer",
    [
        page("{}"),
        page("<html>"),
        page("[" * 100_000),
        page('{"config": {"digest": "../../../token"}}'),
        page(json.dumps({"manifests": [{"digest": digest("windows"), "platform": {"os": "windows"}}]})),
        page(" " * (image_registry.MOST_BYTES + 1)),
        page("", "401 Unauthorized", 'WWW-Authenticate: Basic realm="r"'),
        page("", "429 Too Many Requests"),
        page("", "500 Internal Server Error"),
        moved("/v2/own/image/manifests/1"),
        moved("http://127.0.0.1/"),
        moved("https://10.0.0.1/"),
        moved("https://[::1]/"),
        moved("file:///etc/passwd"),
        page("", "307 Temporary Redirect"),
        lambda request: b"no HTTP\r\n\r\n",
    ],
)
async def test_image_env__any_other_answer__is_not_read(
    registry: Server, pages: Pages, answer: Callable[[bytes], bytes]
) -> None:
    pages["/v2/own/image/manifests/1"] = answer
    with pytest.raises(NotRead):
        await read(registry)


@pytest.mark.parametrize("token", ["", '{"token": ""}', '{"token": "a\\r\\nX: y"}'])
async def test_image_env__no_token__is_not_read(registry: Server, pages: Pages, token: str) -> None:
    challenge = f'WWW-Authenticate: Bearer realm="{registry.url}/token"'
    pages["/v2/own/image/manifests/1"] = page("", "401 Unauthorized", challenge)
    pages["/token"] = page(token)
    with pytest.raises(NotRead):
        await read(registry)


async def test_image_env__registry_is_silent__is_not_waited_for(
    registry: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_registry, "SECONDS", 0.05)

    over = asyncio.Event()

    async def wait(request: bytes) -> bytes | None:
        await over.wait()
        return None

    monkeypatch.setattr(registry, "_serve", wait)
    with pytest.raises(NotRead, match="in time"):
        await read(registry)
    over.set()


async def test_image_env__names_that_nobody_resolves__take_no_more_threads_than_they_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = threading.Event()

    def places(host: str, port: int) -> list[str]:
        release.wait(PATIENCE)
        raise OSError("no name")

    async def read_soon() -> str:
        with pytest.raises(NotRead) as failed:
            await images.image_env("registry.invalid/own/image:1", "amd64")
        return str(failed.value)

    monkeypatch.setattr(name_lookup, "_places", places)
    monkeypatch.setattr(image_registry, "SECONDS", 0.01)
    images = ImageRegistry()
    for _ in range(MOST_LOOKUPS):
        assert "in time" in await read_soon()
    assert "too many names" in await read_soon()
    release.set()
    monkeypatch.setattr(image_registry, "SECONDS", PATIENCE)

    async def is_free() -> bool:
        return "too many names" not in await read_soon()

    await until(is_free)


@pytest.mark.parametrize("host", ["", "localhost", "[::1]"])
async def test_image_env__registry_within_the_machines_network__is_not_asked(registry: Server, host: str) -> None:
    port = registry.url.rpartition(":")[2]
    with pytest.raises(NotRead, match=r"not a public address|no such name"):
        await ImageRegistry().image_env(f"{host or HERE}:{port}/own/image:1", "amd64")
    assert registry.connections == 0


@pytest.mark.parametrize("image", ["own/image:a b", "OWN/image", "a.example/../../token", "own/image@sha256:1", ""])
async def test_image_env__name_of_no_image__is_not_read(image: str) -> None:
    with pytest.raises(NotRead):
        await ImageRegistry({HERE}.__contains__).image_env(image, "amd64")
