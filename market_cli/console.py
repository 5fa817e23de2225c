"""The console script. It handles an interrupt even before its imports are done."""

from __future__ import annotations

import sys
from importlib import import_module

from market_cli.encoding import print_anywhere
from market_cli.exit_codes import INTERRUPTED


def run() -> None:
    """Runs one command and exits with its code."""
    print_anywhere()
    try:
        main = import_module("market_cli.main")
    except KeyboardInterrupt:
        print("error: Interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    main.run()
