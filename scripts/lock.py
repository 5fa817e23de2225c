"""Pins every transitive Python dependency: the project's in [tool.uv] constraint-dependencies, anchorpy's in a list.

uv.lock names download hosts and stays out of git; these pin the same versions without them. anchorpy needs older
versions of packages that the project uses, hence an environment and a list of its own.
"""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "pyproject.toml"
ANCHORPY = "anchorpy==0.21.0"
ANCHORPY_PINS = ROOT / "tests/anchor_client/anchorpy/requirements.txt"
UV = os.environ.get("UV", "uv")
"""The uv that runs this script, which need not be on PATH."""
BLOCK = re.compile(r"constraint-dependencies = \[\n.*?\]\n", re.DOTALL)
PLAIN = ("--quiet", "--no-annotate", "--no-header")


def resolve() -> list[str]:
    """Resolves the newest versions that fit: the old constraints and the old lock are put aside first."""
    PROJECT.write_text(BLOCK.sub("", PROJECT.read_text()))
    run("lock", "--upgrade", "--quiet")
    listed = run("export", *PLAIN, "--no-hashes", "--no-emit-project", "--all-extras", "--group", "dev")
    return sorted(f"{name}=={version}" for name, version in versions(listed).items())


def versions(listed: str) -> dict[str, str]:
    """Name and version of every package in a list of requirements; of several by Python's version, what suits all."""
    found = re.findall(r"^([^\s=\[]+)(?:\[[^\]]*\])?==(\S+)", listed, re.MULTILINE)
    return dict(reversed(found))


def write(pins: list[str]) -> None:
    text = PROJECT.read_text()
    block = "constraint-dependencies = [\n" + "".join(f'  "{pin}",\n' for pin in pins) + "]\n"
    PROJECT.write_text(text.replace("[tool.uv]\n", "[tool.uv]\n" + block))


def resolve_anchorpy() -> str:
    """The list for every platform, apart from the project's own constraints."""
    return run("pip", "compile", *PLAIN, "--no-config", "--universal", "--python-version", "3.11", "-", given=ANCHORPY)


def run(*arguments: str, given: str | None = None) -> str:
    return subprocess.run([UV, *arguments], cwd=ROOT, input=given, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    before = PROJECT.read_text()
    try:
        pins, anchorpy_pins = resolve(), resolve_anchorpy()
    except subprocess.CalledProcessError:
        PROJECT.write_text(before)
        raise SystemExit(1) from None
    write(pins)
    ANCHORPY_PINS.write_text(anchorpy_pins)
    print(f"{len(pins)} versions pinned, {len(versions(anchorpy_pins))} for anchorpy")
