"""Images where no registry of images can be reached: of Debian's own packages, and of Python's."""

from __future__ import annotations

import os
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from tests.docs.pages import ROOT
from tests.host_agent.docker.engine import OwnEngine

HERE: Final = Path(__file__).parent
BASE: Final = "gpu-market-test/python:1"
IMAGE: Final = "gpu-market-test/market:1"
POSTGRES: Final = "docker.io/library/postgres:16"
PROMETHEUS: Final = "docker.io/prom/prometheus:v3.5.0"
NODE_EXPORTER: Final = "docker.io/prom/node-exporter:v1.9.1"
OFFICIAL: Final = "docker.io/library/python:3.12-slim-bookworm"
CERTIFICATES: Final = Path("etc/ssl/certs/ca-certificates.crt")


def require() -> None:
    """Skips with the reason where the stack cannot be run, and fails instead in CI."""
    missing = [name for name in ("debootstrap", "docker-compose") if shutil.which(name) is None]
    if not missing:
        return
    reason = f"{', '.join(missing)} is not installed"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def build_market(engine: OwnEngine) -> None:
    """Builds the market's image, and the others from Debian's packages where the official ones cannot be had."""
    base = python(engine)
    try:
        for image in (POSTGRES, PROMETHEUS, NODE_EXPORTER):
            engine.docker("pull", "--quiet", image)
    except subprocess.CalledProcessError:
        keep(engine, POSTGRES, "Containerfile.postgres", base)
        for image, stage in ((PROMETHEUS, "prometheus"), (NODE_EXPORTER, "node-exporter")):
            keep(engine, image, "Containerfile.monitoring", base, "--target", stage)
    build(engine, IMAGE, ROOT / "deploy/Containerfile", ROOT, base)


def python(engine: OwnEngine) -> str:
    """The name of an image of Debian with Python."""
    try:
        engine.docker("pull", "--quiet", OFFICIAL)
    except subprocess.CalledProcessError:
        return debian(engine)
    return OFFICIAL


def debian(engine: OwnEngine) -> str:
    """The name of an image of Debian as debootstrap makes it, with Python."""
    engine.docker("import", str(_debian()), BASE)
    return BASE


def keep(engine: OwnEngine, tag: str, name: str, base: str, *options: str) -> None:
    """Builds one of the container files here, or loads what it gave before: packages take minutes to install."""
    digest = sha256(repr((tag, base, options)).encode())
    for file in sorted(HERE.iterdir()):
        if file.is_file():
            digest.update(file.name.encode() + file.read_bytes())
    archive = _cache() / "images" / f"{digest.hexdigest()}.tar"
    if not archive.exists():
        build(engine, tag, HERE / name, HERE, base, *options)
        archive.parent.mkdir(parents=True, exist_ok=True)
        unfinished = archive.with_suffix(f".{os.getpid()}")
        engine.docker("save", "--output", str(unfinished), tag)
        unfinished.replace(archive)
    else:
        engine.docker("load", "--quiet", "--input", str(archive))


def build(engine: OwnEngine, tag: str, file: Path, context: Path, base: str, *options: str) -> None:
    """Builds a container file on a base."""
    command = ("build", "--quiet", "--network", "host", "--build-arg", f"BASE={base}", "-f", str(file))
    engine.docker(*command, *options, "-t", tag, str(context))


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpu-market"


def _debian() -> Path:
    """An archive of Debian with Python, made once."""
    cache = _cache()
    archive, root = cache / "debian-bookworm-python.tar", cache / "debian-bookworm-python"
    if archive.exists():
        return archive
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    packages = "--include=python3-venv,ca-certificates"
    subprocess.run(
        ["debootstrap", "--variant=minbase", packages, "bookworm", str(root)], check=True, capture_output=True
    )
    (root / "usr/bin/python").symlink_to("python3")
    shutil.copyfile("/" / CERTIFICATES, root / CERTIFICATES)  # those that this machine trusts, for its registries
    (root / "etc/pip.conf").write_text(f"[global]\ncert = /{CERTIFICATES}\n")
    unfinished = archive.with_suffix(".new")
    subprocess.run(["tar", "-C", str(root), "-cf", str(unfinished), "."], check=True)
    unfinished.replace(archive)
    shutil.rmtree(root)
    return archive
