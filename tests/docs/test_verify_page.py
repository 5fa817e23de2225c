"""Files that docs/verify.md builds with: those that built the committed program."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

RECIPE = ROOT / "scripts/sbf"
BUILD = (RECIPE / "build.sh").read_text()
PINS = dict(reversed(line.split("  ")) for line in (RECIPE / "pins.sha256").read_text().splitlines())


def test_recipe__compiler__is_the_manifests() -> None:
    [pinned] = re.findall(r"\brust_version=(\S+?)\+", BUILD)
    manifest = json.loads((ROOT / "localnet/program/manifest.json").read_text())
    assert pinned == manifest["versions"]["rustc"]


def test_recipe__versions__are_those_of_the_pinned_files() -> None:
    versions = re.findall(r"\b(?:linker|llvm|rust)_version=(\S+)", BUILD)
    assert len(versions) == 3
    for version in versions:
        assert any(version in name for name in PINS), version
    kinds = {name.rpartition(".")[2] for name in PINS}
    assert kinds == {"deb", "whl", "crate"} and all(len(pin) == 64 for pin in PINS.values())
    assert {name for name in PINS if not any(version in name for version in versions)} == {
        "libllvm22_1%3a22.1.8-1~deb12u1_amd64.deb"
    }


def test_containerfile__image__is_pinned_by_its_digest() -> None:
    assert re.search(r"^ARG BASE=\S+@sha256:[0-9a-f]{64}$", (RECIPE / "Containerfile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("content", [None, b"another file"])
def test_recipe__file_that_is_gone_or_another__stops_with_its_name(tmp_path: Path, content: bytes | None) -> None:
    """The shell functions of the recipe, without the rest of it."""
    functions = BUILD[BUILD.index("gone() {") : BUILD.index("pinned() {")]
    name = "sbpf-linker-0.2.6.crate"
    if content is not None:
        (tmp_path / name).write_bytes(content)
    script = f"set -euo pipefail\nfiles={tmp_path} here={RECIPE}\n{functions}\ntake {name} false\necho taken"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "taken" not in done.stdout
    assert done.stderr.count(name) >= 1 and "docs/verify.md" in done.stderr


def test_page__files__are_those_of_the_recipe() -> None:
    page = (ROOT / "docs/verify.md").read_text()
    for name in PINS:
        package = name
        if name.endswith(".deb"):
            package = name.partition("_")[0]
        if name.endswith(".whl"):
            package = name.partition("-")[0]
        assert f"`{package}`" in page, name


def test_page__names__the_release_candidate_and_the_container() -> None:
    page, cargo = (ROOT / "docs/verify.md").read_text(), (ROOT / "programs/gpu_market/Cargo.toml").read_text()
    [version] = re.findall(r'^anchor-lang = "=(\S+)"', cargo, re.MULTILINE)
    assert f"Anchor {version}" in page and "scripts/sbf/Containerfile" in page
