"""Real processes of which a function raises while a secret stands in its frame, and what they say of it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.processes.patience import PATIENCE

SECRET: Final = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = Path(__file__).with_name("sabotage")
FRAME: Final = "connect_with"
"""The function whose local variables hold the secret."""
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


def sabotaging(*targets: str) -> dict[str, str]:
    """Variables that make functions raise in a process and in those that it starts: `module:path+calls before`."""
    return {
        "PYTHONPATH": f"{FOLDER}{os.pathsep}{ROOT}",
        "PYTHONUNBUFFERED": "1",
        "SABOTAGED": " ".join(targets),
        "SABOTAGE_SECRET": SECRET,
    }


def require_untold(said: str, *targets: str) -> None:
    """Each failure is told with where it happened, and without what stood there."""
    text = _COLOUR.sub("", said)
    for target in targets:
        assert f"{named(target)} is sabotaged" in text, text
    assert FRAME in text, text
    assert SECRET not in text, text


def named(target: str) -> str:
    """The function of a target."""
    return target.partition(":")[2].partition("+")[0]


async def said_by(*command: str, env: Mapping[str, str], targets: tuple[str, ...], given: bytes = b"") -> str:
    """Runs a command until every failure is told; returns its output on both streams, to its end."""
    process = await asyncio.create_subprocess_exec(*command, env=env, stdin=PIPE, stdout=PIPE, stderr=STDOUT)
    assert process.stdout is not None and process.stdin is not None
    process.stdin.write(given)
    process.stdin.close()
    said = ""
    try:
        async with asyncio.timeout(PATIENCE):
            while not all(f"{named(target)} is sabotaged" in said for target in targets):
                part = await process.stdout.read(2**16)
                if not part:
                    break
                said += part.decode(errors="replace")
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            said += (await process.stdout.read()).decode(errors="replace")
            await process.wait()
    return said
