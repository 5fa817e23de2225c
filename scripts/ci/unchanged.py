"""Steps that have already passed on the same inputs on this machine, known by a hash of them."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from .running import CACHE
from .steps import CiStep

FOLDER = CACHE / "passed"


def key(step: CiStep, root: Path) -> str:
    """Hash of a step's command, its tools' versions and every file of the checkout that it reads."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *step.inputs]
    names = subprocess.run(listed, cwd=root, check=True, capture_output=True, text=True).stdout.split("\0")
    digest = hashlib.sha256(step.command.encode())
    for tool in step.tools:
        digest.update(f"{tool} ".encode() + _version(tool))
    for name in sorted(filter(None, names)):
        file = root / name
        content = file.read_bytes() if file.is_file() else b""
        digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _version(tool: str) -> bytes:
    """Output of a tool's `--version`; empty where the step has yet to install it."""
    if shutil.which(tool) is None:
        return b""
    return subprocess.run([tool, "--version"], check=False, capture_output=True).stdout


def has_passed(step: CiStep, root: Path) -> bool:
    """True where the step declares its inputs and has passed on these."""
    return bool(step.inputs) and _mark(step, root).exists()


def note(step: CiStep, root: Path) -> None:
    """Keeps that a step which declares its inputs has passed on these."""
    if step.inputs:
        mark = _mark(step, root)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def _mark(step: CiStep, root: Path) -> Path:
    return FOLDER / f"{step.name.replace(' ', '-')}-{key(step, root)}"
