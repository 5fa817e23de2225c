"""Pins every transitive Python dependency: the project's in [tool.uv] constraint-dependencies, anchorpy's in a list.

uv.lock names download hosts and stays out of git; these pin the same versions without them. Constraints reach no
installation without a checkout: the extra `pinned` names the same versions of what runs, on each platform that needs
it. anchorpy needs older versions of packages that the project uses, hence a separate environment and list.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "pyproject.toml"
ANCHORPY = "anchorpy==0.21.0"
ANCHORPY_PINS = ROOT / "tests/anchor_client/anchorpy/requirements.txt"
UV = os.environ.get("UV") or shutil.which("uv") or str(ROOT / ".uv/bin/uv")
"""The uv that runs this script, which need not be on PATH."""
CONSTRAINTS = "constraint-dependencies"
PINNED = "pinned"
PLAIN = ("--quiet", "--no-annotate", "--no-header")


def resolve() -> list[str]:
    """Resolves the newest versions that fit: the old pins and the old lock are put aside first."""
    write(CONSTRAINTS, [])
    write(PINNED, [])
    run("lock", "--upgrade", "--quiet")
    return sorted(
        f"{name}=={version}" for name, version in versions(export("--group", "dev", "--group", "proofs")).items()
    )


def running() -> list[str]:
    """Packages that run, by the lock: without the tools of development, with the platforms that need each."""
    return export("--no-dev", "--no-extra", PINNED).splitlines()


def export(*which: str) -> str:
    """The lock as a list of requirements."""
    return run("export", *PLAIN, "--frozen", "--no-hashes", "--no-emit-project", "--all-extras", *which)


def versions(listed: str) -> dict[str, str]:
    """Name and version of every package in a list of requirements; of several by Python's version, what suits all."""
    found = re.findall(r"^([^\s=\[]+)(?:\[[^\]]*\])?==(\S+)", listed, re.MULTILINE)
    return dict(reversed(found))


def write(name: str, pins: list[str]) -> None:
    """Puts pins into the list of this name in pyproject.toml, in place of those there."""
    block = f"{name} = [\n" + "".join(f'  "{pin}",\n' for pin in pins) + "]\n"
    old = re.compile(rf"^{name} = \[\n.*?^\]\n", re.MULTILINE | re.DOTALL)
    PROJECT.write_text(old.sub(lambda _: block, PROJECT.read_text()))


def resolve_anchorpy() -> str:
    """The list for every platform, apart from the project's own constraints."""
    return run("pip", "compile", *PLAIN, "--no-config", "--universal", "--python-version", "3.11", "-", given=ANCHORPY)


def run(*arguments: str, given: str | None = None) -> str:
    return subprocess.run([UV, *arguments], cwd=ROOT, input=given, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    before = PROJECT.read_text()
    try:
        pins = resolve()
        anchorpy_pins = resolve_anchorpy()
        write(CONSTRAINTS, pins)
        run("lock", "--quiet")
        write(PINNED, running())
    except subprocess.CalledProcessError:
        PROJECT.write_text(before)
        raise SystemExit(1) from None
    ANCHORPY_PINS.write_text(anchorpy_pins)
    print(f"{len(pins)} versions pinned, {len(versions(anchorpy_pins))} for anchorpy")
