"""An image's environment, read from its registry before the image is fetched."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final
from urllib.parse import urlencode, urljoin

import msgspec

from anchor_client.service.name_lookup import NameLookup
from anchor_client.service.networks import is_public
from anchor_client.solana.http.address import Address
from anchor_client.solana.http.answer import HttpAnswer, HttpFailure
from anchor_client.solana.http.dialing import dial_one_of
from anchor_client.solana.http.request import request_of
from host_agent.errors import OrderRefused
from host_agent.images.manifests import KINDS, ImageConfig, ImageManifest, NotRead, RegistryToken
from host_agent.images.rules import DOCKER_HUB, MOST_SETTINGS_CHARACTERS, full_name

SECONDS: Final = 5.0
"""Longest wait for all of a registry's answers."""
MOST_BYTES: Final = 2**20
"""Of one answer."""
MOST_REDIRECTS: Final = 3
MOST_LOOKUPS: Final = 4
"""Of names, at a time: each may last longer than the wait for its answer, and orders choose the names."""
REDIRECTS: Final = (301, 302, 303, 307, 308)
UNAUTHORIZED: Final = 401
HUB_SERVER: Final = "registry-1.docker.io"
IMAGE: Final = re.compile(r"([a-z0-9._/-]+)(?::([\w.-]{1,128}))?(?:@(sha256:[0-9a-f]{64}))?", re.ASCII)
"""Name, tag and digest, without the registry."""
CHALLENGE: Final = re.compile(r'(\w+)="([^"]*)"')
"""Parts of a registry's demand for a token."""


class ImageRegistry:
    """Reads images' configurations from registries that anyone can read, over HTTPS and at public addresses: an order
    names the registry, and must not lead the agent into its own network.
    """

    def __init__(self, is_allowed: Callable[[str], bool] = is_public) -> None:
        self._is_allowed = is_allowed
        self._lookups = 0

    async def image_env(self, image: str, architecture: str) -> dict[str, str]:
        """The environment that an image sets on Linux machines of an architecture. NotRead, and OrderRefused for one
        with more settings than an engine handles soon.
        """
        try:
            async with asyncio.timeout(SECONDS):
                return await self._env(image, architecture)
        except TimeoutError as error:
            raise NotRead("it does not answer in time") from error
        except (HttpFailure, msgspec.MsgspecError, OSError, ValueError, RecursionError) as error:
            raise NotRead(str(error) or type(error).__name__) from error

    async def _env(self, image: str, architecture: str) -> dict[str, str]:
        registry, _, rest = full_name(image).partition("/")
        named = IMAGE.fullmatch(rest)
        if named is None:
            raise NotRead("an image has no such name")
        name, tag, digest = named.groups()
        server = HUB_SERVER if registry == DOCKER_HUB else registry
        reader = _Reader(f"https://{server}/v2/{name}", self._places)
        manifest = await reader.manifest(digest or tag or "latest")
        if manifest.config is None:
            manifest = await reader.manifest(manifest.build_for(architecture))
        if manifest.config is None:
            raise NotRead("its manifest names no configuration")
        size = manifest.config.size
        if size > MOST_SETTINGS_CHARACTERS:
            said = f"The image {image} has {size} bytes of settings; hosts take {MOST_SETTINGS_CHARACTERS}"
            raise OrderRefused(said, "Use another image.")
        return msgspec.json.decode(await reader.get(f"/blobs/{manifest.config.digest}"), type=ImageConfig).env

    async def _places(self, address: Address) -> Sequence[str]:
        """IP addresses of a server. It is connected to by them: a name that changes in between gains nothing."""
        if self._lookups == MOST_LOOKUPS:
            raise NotRead("too many names of registries are looked up at a time")
        self._lookups += 1
        lookup = NameLookup()
        try:
            places = await lookup(address.host, address.port)
        finally:
            lookup.when_ended(self._looked_up)
        for place in places:
            if not self._is_allowed(place):
                raise NotRead(f"{place} is not a public address")
        return places

    def _looked_up(self) -> None:
        self._lookups -= 1


class _Reader:
    """Reads below one image's place at its registry, with a token if it asks for one."""

    def __init__(self, place: str, places: Callable[[Address], Awaitable[Sequence[str]]]) -> None:
        self._place = place
        self._places = places
        self._token: str | None = None

    async def manifest(self, reference: str) -> ImageManifest:
        """The manifest of a tag or a digest."""
        return msgspec.json.decode(await self.get(f"/manifests/{reference}"), type=ImageManifest)

    async def get(self, path: str) -> str:
        """The answer at a path. NotRead unless it is one."""
        answer = await self._ask(self._place + path, self._token)
        if answer.status == UNAUTHORIZED and self._token is None:
            self._token = await self._new_token(answer.headers.get(b"www-authenticate", b"").decode("latin-1"))
            answer = await self._ask(self._place + path, self._token)
        if not answer.is_success:
            raise NotRead(f"it answers with HTTP status {answer.status}")
        return answer.text

    async def _new_token(self, challenge: str) -> str:
        """The token for anyone who reads the image without an account."""
        demanded = dict(CHALLENGE.findall(challenge))
        realm = demanded.pop("realm", None)
        if not challenge.lower().startswith("bearer ") or realm is None:
            raise NotRead("it wants an account")
        asked = urlencode({name: demanded[name] for name in ("service", "scope") if name in demanded})
        answer = await self._ask(f"{realm}{'&' if '?' in realm else '?'}{asked}", None)
        return msgspec.json.decode(answer.text, type=RegistryToken).value

    async def _ask(self, url: str, token: str | None) -> HttpAnswer:
        """The answer to a request, from wherever it is redirected to; only the first server gets the token."""
        for _ in range(MOST_REDIRECTS + 1):
            answer = await self._ask_once(url, token)
            if answer.status not in REDIRECTS:
                return answer
            url = urljoin(url, answer.headers.get(b"location", b"").decode("latin-1"))
            token = None
        raise NotRead("it redirects without end")

    async def _ask_once(self, url: str, token: str | None) -> HttpAnswer:
        address = Address.of(url)
        if not address.is_tls:
            raise NotRead("it is not an https URL")
        headers = {"Accept": KINDS, "Connection": "close"} | (
            {} if token is None else {"Authorization": f"Bearer {token}"}
        )
        request = request_of(address, "GET", headers=headers)
        connection = await dial_one_of(address, await self._places(address), SECONDS, MOST_BYTES)
        try:
            return await connection.ask(request, SECONDS)
        finally:
            connection.close()
