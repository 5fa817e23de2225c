"""Rules for images: those that a host fetches for its renters, and the responsibility for a failed fetch."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from host_agent.errors import MachineFault, OrderRefused, OrderUnwanted, Unproven

DOCKER_HUB: Final = "docker.io"
"""Default registry of images."""
GB: Final = 10**9
UNREACHABLE: Final = re.compile(
    r"dial tcp|no such host|server misbehaving|i/o timeout|connection (refused|reset|abort)|network is unreachable|"
    r"no route to host|TLS handshake|x509: |Client\.Timeout|deadline exceeded|request canceled|unexpected EOF|EOF$|"
    r"HTTP status: 5\d\d",
    re.IGNORECASE,
)
"""Engines' messages about an unresponsive registry."""
NO_SUCH_IMAGE: Final = re.compile(
    r"not found|manifest unknown|no matching manifest|denied|unauthorized|authentication required|does not exist|"
    r"invalid reference|unsupported|media type|unknown type|schema 1|specified platform|verification failed",
    re.IGNORECASE,
)
"""Messages about missing or private images, and about those that no engine can run."""
LIMITED: Final = re.compile(r"toomanyrequests|too many requests|pull rate limit|HTTP 429", re.IGNORECASE)
"""Registries' messages about too many requests."""
PUBLIC: Final = frozenset(
    (
        *("ghcr.io", "quay.io", "nvcr.io", "gcr.io", "registry.k8s.io", "public.ecr.aws", "mcr.microsoft.com"),
        *("registry.gitlab.com", "registry.hub.docker.com", "index.docker.io"),
    )
)
"""Registries that are no renter's own: if they have had too many requests, these were the machine's."""
CONTENT: Final = re.compile(r"failed to register layer|error pulling image configuration", re.IGNORECASE)
"""Engines' messages about an image that has arrived and cannot be unpacked."""
UNCONNECTED: Final = re.compile(r"error pulling image configuration: .*(dial tcp|TLS handshake|i/o timeout)")
"""A message that reads the same about a configuration whose server cannot be reached."""
ARRIVED: Final = ("Extracting", "Verifying Checksum", "Download complete", "Pull complete", "Already exists")
UNPACKED: Final = ("Pull complete", "Already exists")
AWAITED: Final = ("Pulling fs layer", "Waiting", "Downloading")
LEAST_BYTES: Final = 2**20
"""Bytes of an image that have to arrive in each of the engine's waits for a registry."""
QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"?')
KIND: Final = re.compile(r"media ?type.*", re.DOTALL | re.IGNORECASE)
"""Parts of an engine's message that repeat the image: quotations, and kinds of its parts."""
NAME_AND_TAG: Final = re.compile(r"([^:@]+)(?::([^@]+))?(?:@.*)?")
TELLING_TAG: Final = 8
"""Letters of a tag that may pass for an engine's words; shorter ones are parts of many."""
MOST_SETTINGS_CHARACTERS: Final = 2**20
"""Of an image's configuration, as JSON."""
MOST_VARIABLES: Final = 1_000
MOST_VOLUMES: Final = 100
FULL: Final = re.compile(r"no space left on device|quota exceeded", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ImageRules:
    """Images that a host fetches. Sizes are those unpacked, or of what is downloaded, whichever shows first."""

    max_bytes: int | None = None
    timeout_seconds: float = 1_800
    registries: Sequence[str] = ()
    """The allowed registries; empty for any."""
    attempts: int = 3
    """Number of attempts at an unresponsive registry."""

    def within(self, seconds: float | None) -> Self:
        """The same rules for an image that has to arrive in this time, if that is shorter."""
        if seconds is None or seconds >= self.timeout_seconds:
            return self
        return replace(self, timeout_seconds=seconds)

    def require_wanted(self, image: str) -> None:
        """Raises OrderUnwanted if the image's registry is not allowed."""
        registry = registry_of(image)
        if self.registries and registry not in self.registries:
            raise OrderUnwanted(
                f"This host does not run images from {registry}",
                f"Use an image from {' or '.join(self.registries)}, or another host.",
            )

    def require_small(self, image: str, size: int) -> None:
        """Raises OrderRefused for an image above the host's limit."""
        if self.max_bytes is not None and size > self.max_bytes:
            raise self._too_large(image, self.max_bytes)

    def require_platform(self, image: str, built_for: str, machine: str) -> None:
        """Raises OrderRefused for an image of another platform than the machine's, such as linux/arm64."""
        if built_for != machine:
            raise OrderRefused(
                f"The image {image} is for {built_for}; this machine is {machine}",
                "Use an image built for the machine.",
            )

    def require_plain(self, image: str, shown: Mapping[str, Any]) -> None:
        """Raises OrderRefused for an image, as an engine shows it, with enough settings that they would keep the
        engine busy for minutes.
        """
        settings = shown.get("Config") or {}
        for what, found, most in (
            ("characters of settings", len(json.dumps(shown)), MOST_SETTINGS_CHARACTERS),
            ("environment variables", len(settings.get("Env") or ()), MOST_VARIABLES),
            ("volumes", len(settings.get("Volumes") or ()), MOST_VOLUMES),
        ):
            if found > most:
                raise OrderRefused(f"The image {image} has {found} {what}; hosts take {most}", "Use another image.")

    def too_slow(self, image: str) -> OrderRefused:
        """Refusal of an order whose image does not arrive in time."""
        minutes = self.timeout_seconds / 60
        return OrderRefused(
            f"The image {image} did not arrive from {registry_of(image)} within {round(minutes, 1):g} minutes",
            "Use a smaller image, or a faster registry.",
        )

    def too_heavy(self, image: str) -> OrderRefused:
        """Refusal of an order whose image fills the engine's memory while it is fetched."""
        return OrderRefused(
            f"The image {image} has more settings than a Docker engine can hold; hosts take {MOST_SETTINGS_CHARACTERS} "
            "characters",
            "Use another image.",
        )

    def _too_large(self, image: str, most: int) -> OrderRefused:
        return OrderRefused(
            f"The image {image} is larger than this host's limit of {most / GB:.1f} GB",
            "Use a smaller image, or another host.",
        )

    def blame(
        self, image: str, said: str, *, is_refusal: bool = False, is_full: bool = True, had_room: bool = False
    ) -> MachineFault | OrderRefused:
        """Error for an image that cannot be fetched, by the engine's message: a refusal or a fault of the host.

        That the disk is full counts only if it was found so: a registry may say what it likes. An image that fills a
        disk that `had_room` for the largest allowed image is too large. Otherwise only a registry that the host vouches
        for can make it the host's fault, and a limit of a public one, by words that the order cannot have chosen: any
        other registry may be the renter's own.
        """
        registry = registry_of(image)
        told = own_words(image, said)
        if FULL.search(said) and is_full:
            if self.max_bytes is not None and had_room:
                return self._too_large(image, self.max_bytes)
            return MachineFault(f"The disk is too full for the image {image}: {said}", "Free disk space for images.")
        is_content = CONTENT.search(said) and not UNCONNECTED.search(told)
        if LIMITED.search(told) and (self.vouches_for(image) or registry in PUBLIC) and not is_content:
            return MachineFault(f"{registry} refuses this machine: {said}", "Log in to the registry, or use a mirror.")
        if UNREACHABLE.search(told) and not is_content:
            return self._unreachable(image, f"cannot be reached: {said}")
        if is_refusal or NO_SUCH_IMAGE.search(said) or not self.vouches_for(image):
            return OrderRefused(
                f"The image {image} is unavailable: {said}", "Check its name, its tag and its access rights."
            )
        return Unproven(f"The Docker engine failed at the image {image}: {said}", said=said)

    def vouches_for(self, image: str) -> bool:
        """True for an image from Docker Hub, or from a registry that the host allows by name."""
        return registry_of(image) in (DOCKER_HUB, *self.registries)

    def unanswered(self, image: str) -> MachineFault | OrderRefused:
        """Error for an image whose download did not start in time."""
        return self._unreachable(image, "does not answer in time")

    def _unreachable(self, image: str, how: str) -> MachineFault | OrderRefused:
        told = f"The registry {registry_of(image)} {how}"
        if self.vouches_for(image):
            return MachineFault(told, "Check this machine's network and DNS.")
        return OrderRefused(told, "Use another registry.")


@dataclass(slots=True)
class Download:
    """An image's size and arrival as far as announced, from an engine's messages while it fetches the image."""

    layers: dict[str, int] = field(default_factory=dict)
    arrived: dict[str, int] = field(default_factory=dict)
    awaited: set[str] = field(default_factory=set)
    """Layers that have not arrived whole."""
    packed: set[str] = field(default_factory=set)
    """Layers that have not been unpacked."""
    _counted: int = 0
    """Bytes that had arrived when enough last had."""

    def take(self, told: Mapping[str, Any]) -> int:
        """Handles one message; returns the bytes of all layers known so far."""
        detail = told.get("progressDetail") or {}
        layer = str(told.get("id"))
        status = told.get("status")
        if status == "Downloading":
            self.arrived[layer] = max(int(detail.get("current") or 0), self.arrived.get(layer, 0))
            if "total" in detail:
                self.layers[layer] = int(detail["total"])
        if status in AWAITED:
            self.awaited.add(layer)
            self.packed.add(layer)
        elif status in ARRIVED:
            self.awaited.discard(layer)
        if status in UNPACKED:
            self.packed.discard(layer)
        return sum(self.layers.values())

    @property
    def is_at_work(self) -> bool:
        """True while the engine unpacks layers and waits for nothing. Once it has all of them unpacked, it waits for
        the image's configuration.
        """
        return bool(self.packed) and not self.awaited

    def has_moved(self, told: Mapping[str, Any]) -> bool:
        """True if a message shows a layer that has arrived, or enough of them since it was last true."""
        arrived = sum(self.arrived.values())
        if told.get("status") not in ARRIVED and arrived - self._counted < LEAST_BYTES:
            return False
        self._counted = arrived
        return True


def own_words(image: str, said: str) -> str:
    """An engine's message without what it repeats of an image: its name and tag, what is quoted, and kinds of parts.

    Whoever makes an image chooses these: one named `toomanyrequests` would otherwise make any host fail.
    """
    chosen = NAME_AND_TAG.fullmatch(image.removeprefix(f"{registry_of(image)}/"))
    name, tag = (image, None) if chosen is None else chosen.groups()
    parts = [name] if tag is None or len(tag) < TELLING_TAG else [name, tag]
    words = KIND.sub("", QUOTED.sub("", said)).split()
    return " ".join(word for word in words if not any(part in word for part in parts))


def is_unanswered(said: str) -> bool:
    """True if an engine reports an unresponsive registry, which may be temporary."""
    return UNREACHABLE.search(said) is not None and FULL.search(said) is None and not is_about_content(said)


def is_about_content(said: str) -> bool:
    """True if an engine reports an image that has arrived and that it cannot unpack."""
    return CONTENT.search(said) is not None and FULL.search(said) is None and UNCONNECTED.search(said) is None


def registry_of(image: str) -> str:
    """The registry of an image's name."""
    first, slash, _ = image.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return first
    return DOCKER_HUB


def full_name(image: str) -> str:
    """An image's name with its registry. An engine takes a shorter one for an image's id too, or for how it begins, and
    runs whatever image of the machine has it.
    """
    registry = registry_of(image)
    name = image.removeprefix(f"{registry}/")
    if registry == DOCKER_HUB and "/" not in name:
        name = f"library/{name}"
    return f"{registry}/{name}"
