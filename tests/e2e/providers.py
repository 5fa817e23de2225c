"""`gpu-market`, and this process, with clusters that answer as providers' nodes do: all of `localnet --as` at once."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from localnet.quirks import NAMES, SMALL_REQUESTS
from localnet.server import LocalCluster

VARIABLE = "E2E_NODE"
"""Environment variable: `providers` for such clusters in the end-to-end tests."""
SCRIPT = Path(sys.executable).with_name("gpu-market")


def is_wanted() -> bool:
    """True if the tests are to run against such clusters."""
    return os.environ.get(VARIABLE) == "providers"


def command() -> list[str]:
    """Starts `gpu-market` in a process of its own."""
    return [sys.executable, "-P", __file__] if is_wanted() else [str(SCRIPT)]


def options() -> list[str]:
    """Arguments of `localnet` in a process of its own, which is handed a whole program in one request."""
    names = [name for name in NAMES if name != SMALL_REQUESTS]
    return [word for name in names for word in ("--as", name)] if is_wanted() else []


def give_habits() -> None:
    """Makes every cluster of this process such a one, unless it names its habits itself."""
    begin: Any = LocalCluster.__init__

    def begin_with_habits(self: LocalCluster, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **{"quirks": NAMES} | named)

    LocalCluster.__init__ = begin_with_habits  # type: ignore[method-assign]


if __name__ == "__main__":
    from market_cli.main import run

    give_habits()
    sys.argv[0] = "gpu-market"
    run()
