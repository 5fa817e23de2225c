"""One command of the console script, in a process forked from one that has imported it: the half of its time."""

from __future__ import annotations

import os
import sys
from multiprocessing import get_context
from pathlib import Path
from pkgutil import walk_packages

import market_cli.commands
import market_cli.main
from tests.processes.tls import trust_nobody

COMMANDS = [module.name for module in walk_packages(market_cli.commands.__path__, "market_cli.commands.")]
_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload([__name__, *COMMANDS])


def run_command(arguments: tuple[str, ...], environment: dict[str, str], folder: Path, seconds: int) -> int:
    """Runs `gpu-market` with this environment and no input; what it prints goes to `folder`. Its exit code.

    TimeoutError when it has not ended after `seconds`.
    """
    process = _FORKS.Process(target=_run, args=(arguments, environment, folder))
    process.start()
    process.join(seconds)
    if process.exitcode is None:
        process.kill()
        raise TimeoutError(f"{arguments} did not end within {seconds} s")
    return process.exitcode


def _run(arguments: tuple[str, ...], environment: dict[str, str], folder: Path) -> None:
    os.environ.clear()
    os.environ.update(environment)
    trust_nobody()
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        with (folder / name).open("wb") as file:
            os.dup2(file.fileno(), descriptor)
    sys.argv = ["gpu-market", *arguments]
    market_cli.main.run()
