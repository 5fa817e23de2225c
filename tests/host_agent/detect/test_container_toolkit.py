"""Versions of NVIDIA's container toolkit, by what its programs print."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from host_agent.detect.container_toolkit import SAFE, toolkit_fault, toolkit_version

CTK: Final = "NVIDIA Container Toolkit CLI version {}\ncommit: 62bd015475656ef795cb0d59cc4030a6bd4a9526\n"
LIBRARY: Final = "cli-version: {0}\nlib-version: {0}\nbuild date: 2024-01-22T13:29+00:00\nbuild flags: -D_GNU_SOURCE\n"
EARLY: Final = "version: 1.0.7\nbuild date: 2020-01-21T18:59+00:00\nbuild compiler: x86_64-linux-gnu-gcc-7 7.4.0\n"


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, **said: str) -> None:
    """Puts the toolkit's programs on the path, alone."""
    for name, text in said.items():
        program = folder / name.replace("_", "-")
        program.write_text(f"#!/bin/sh\nwhile read -r line; do echo \"$line\"; done <<'END'\n{text}END\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ({"nvidia_ctk": CTK.format("1.12.0")}, (1, 12, 0)),
        ({"nvidia_ctk": CTK.format("1.17.7")}, (1, 17, 7)),
        ({"nvidia_ctk": CTK.format("1.17.8")}, (1, 17, 8)),
        ({"nvidia_ctk": CTK.format("1.18.0-rc.1")}, (1, 18, 0)),
        ({"nvidia_ctk": CTK.format("1.19.1"), "nvidia_container_cli": LIBRARY.format("1.14.5")}, (1, 19, 1)),
        ({"nvidia_ctk": "Segmentation fault\n", "nvidia_container_cli": LIBRARY.format("1.14.5")}, (1, 14, 5)),
        ({"nvidia_container_cli": EARLY}, (1, 0, 7)),
        ({"nvidia_ctk": CTK.format("unknown")}, None),
        ({}, None),
    ],
)
async def test_version__as_its_programs_print_it__is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: dict[str, str], version: tuple[int, int, int] | None
) -> None:
    install(tmp_path, monkeypatch, **said)
    found = await toolkit_version()
    assert found == version
    fault = toolkit_fault(found)
    assert (fault is not None) is (version is not None and version < SAFE)
    assert fault is None or ("CVE-2025-23266" in fault and "apt-get install nvidia-container-toolkit" in fault)
