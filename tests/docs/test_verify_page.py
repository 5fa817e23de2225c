"""Versions that docs/verify.md builds with: those that built the committed program."""

from __future__ import annotations

import json
import re

from tests.docs.pages import ROOT


def test_containerfile__compiler__is_the_manifests() -> None:
    pinned = re.findall(r"^ARG RUST=(\S+?)\+", (ROOT / "scripts/sbf/Containerfile").read_text(), re.MULTILINE)
    manifest = json.loads((ROOT / "localnet/program/manifest.json").read_text())
    assert pinned == [manifest["versions"]["rustc"]]


def test_page__names__the_release_candidate_and_the_container() -> None:
    page, cargo = (ROOT / "docs/verify.md").read_text(), (ROOT / "programs/gpu_market/Cargo.toml").read_text()
    [version] = re.findall(r'^anchor-lang = "=(\S+)"', cargo, re.MULTILINE)
    assert f"Anchor {version}" in page and "scripts/sbf/Containerfile" in page
