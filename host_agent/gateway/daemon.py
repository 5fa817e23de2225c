"""`python -m host_agent.gateway DIRECTORY LISTING [--take-over]`: runs a gateway in a separate session.

It reads the opening from standard input, or takes it over from the running gateway. The command ends once the gateway
serves, or fails with a `StartFailure` on standard output.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from host_agent.gateway.documents import StartFailure, encode

if TYPE_CHECKING:
    from host_agent.gateway.container import Reach

SERVES: Final = b"{}"
TAKE_OVER: Final = "--take-over"
LOG_ENDING: Final = ".log"


def main(arguments: list[str], load: Callable[[], Reach] | None = None) -> NoReturn:
    """Leaves a gateway behind, and ends with 0 once it serves. It reaches containers as `load` says, or by Docker."""
    directory, listing = Path(arguments[0]), arguments[1]
    given = b"" if TAKE_OVER in arguments else sys.stdin.buffer.read()
    if not given and TAKE_OVER not in arguments:
        sys.exit("Nothing to serve: the agent has ended")
    reader, writer = os.pipe()
    if os.fork():
        os.close(writer)
        with open(reader, "rb") as pipe:
            said = pipe.read()
        sys.stdout.buffer.write(said)
        sys.stdout.flush()
        os._exit(said != SERVES)
    os.close(reader)
    _detach()
    _run(directory, listing, given, load or _engine, lambda said: _tell(writer, said))
    sys.exit(0)


def _detach() -> None:
    os.setsid()
    os.chdir("/")
    os.umask(0o077)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


def _tell(writer: int, said: bytes) -> None:
    os.write(writer, said)
    os.close(writer)


def _engine() -> Reach:
    from host_agent.gateway.container import reach  # noqa: PLC0415 - as below

    return reach


def _run(directory: Path, listing: str, given: bytes, load: Callable[[], Reach], tell: Callable[[bytes], None]) -> None:
    # Imported in the process that stays: the other one only waits for it.
    from anchor_client.errors import GpuMarketError  # noqa: PLC0415
    from host_agent.gateway.privileges import give_up_privileges  # noqa: PLC0415
    from host_agent.gateway.start import begun, taken_over  # noqa: PLC0415
    from host_agent.log_file import log_to  # noqa: PLC0415

    try:
        log_to(directory / f"{listing}{LOG_ENDING}")
        give_up_privileges()
        if given:
            asyncio.run(begun(directory, listing, given, load(), lambda: tell(SERVES)))
        else:
            asyncio.run(taken_over(directory, listing, load(), lambda: tell(SERVES)))
    except GpuMarketError as error:
        tell(encode(StartFailure(error.message, error.remedy)))
    except OSError as error:
        tell(encode(StartFailure(f"The gateway cannot start: {error}", f"Look at {directory}.")))
