"""Documents of an image at its registry, as far as the environment of its containers needs them."""

from __future__ import annotations

import re
from typing import Annotated, Final

import msgspec

KINDS: Final = ", ".join(
    f"application/vnd.{each}+json"
    for each in (
        *("oci.image.index.v1", "oci.image.manifest.v1"),
        *("docker.distribution.manifest.list.v2", "docker.distribution.manifest.v2"),
    )
)
"""Types of the manifests that are asked for."""
Digest = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]{1,16}:[0-9a-f]{32,128}\Z")]
TOKEN: Final = re.compile(r"[\x21-\x7e]{1,16384}")


class NotRead(Exception):
    """A registry that did not give what was asked for."""


class Platform(msgspec.Struct):
    """Machines that an image is built for."""

    os: str = ""
    architecture: str = ""


class ImagePart(msgspec.Struct):
    """A manifest or a configuration, as manifests name it."""

    digest: Digest
    size: int = 0
    platform: Platform | None = None


class ImageManifest(msgspec.Struct):
    """An image, or a list of its builds."""

    config: ImagePart | None = None
    manifests: list[ImagePart] = []

    def build_for(self, architecture: str) -> str:
        """Digest of the build for Linux machines of an architecture. NotRead if there is none."""
        for each in self.manifests:
            if each.platform == Platform("linux", architecture):
                return each.digest
        raise NotRead(f"it has no build for linux/{architecture}")


class ContainerConfig(msgspec.Struct, rename="pascal"):
    """Settings of an image's containers."""

    env: list[str] | None = None


class ImageConfig(msgspec.Struct):
    """The configuration of an image."""

    config: ContainerConfig | None = None

    @property
    def env(self) -> dict[str, str]:
        """The environment that it sets."""
        pairs = (each.partition("=") for each in (self.config and self.config.env) or ())
        return {name: value for name, _, value in pairs}


class RegistryToken(msgspec.Struct):
    """A registry's leave to read an image, under either of two names."""

    token: str = ""
    access_token: str = ""

    @property
    def value(self) -> str:
        """The token. NotRead if there is none."""
        found = self.token or self.access_token
        if TOKEN.fullmatch(found) is None:
            raise NotRead("it gives no token")
        return found
