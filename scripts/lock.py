"""Writes every transitive Python dependency's version into pyproject.toml's [tool.uv] constraint-dependencies.

uv.lock names download hosts and stays out of git; constraints pin the same versions without them.
"""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "pyproject.toml"
UV = os.environ.get("UV", "uv")
"""The one that runs this, which need not be on PATH."""
BLOCK = re.compile(r"constraint-dependencies = \[\n.*?\]\n", re.DOTALL)


def resolve() -> list[str]:
    """Resolves the newest versions that fit: the old constraints and the old lock are put aside first.

    A constraint holds in every environment, so what the anchorpy group needs in another version stays unpinned.
    """
    PROJECT.write_text(BLOCK.sub("", PROJECT.read_text()))
    subprocess.run([UV, "lock", "--upgrade", "--quiet"], cwd=ROOT, check=True)
    ours, anchorpy = export("--all-extras", "--group", "dev"), export("--only-group", "anchorpy")
    return sorted(
        f"{name}=={version}"
        for name, version in (anchorpy | ours).items()
        if ours.get(name, version) == anchorpy.get(name, version)
    )


def export(*selection: str) -> dict[str, str]:
    """Name and version of every package in one environment."""
    command = [
        UV,
        "export",
        "--quiet",
        "--no-hashes",
        "--no-emit-project",
        "--no-annotate",
        "--no-header",
        *selection,
    ]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return dict(re.findall(r"^([^\s=\[]+)(?:\[[^\]]*\])?==(\S+)", listed, re.MULTILINE))


def write(pins: list[str]) -> None:
    text = PROJECT.read_text()
    block = "constraint-dependencies = [\n" + "".join(f'  "{pin}",\n' for pin in pins) + "]\n"
    PROJECT.write_text(text.replace("[tool.uv]\n", "[tool.uv]\n" + block))


if __name__ == "__main__":
    before = PROJECT.read_text()
    try:
        pins = resolve()
    except subprocess.CalledProcessError:
        PROJECT.write_text(before)
        raise SystemExit(1) from None
    write(pins)
    print(f"{len(pins)} versions pinned")
