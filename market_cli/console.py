"""The console script. It handles an interrupt even before its imports are done."""

from __future__ import annotations

import gc
import sys
from importlib import import_module

from market_cli.encoding import print_anywhere
from market_cli.exit_codes import INTERRUPTED

ALLOCATIONS = 100_000
"""Allocations between garbage collections: memory of imports is never freed."""


def run() -> None:
    """Runs one command and exits with its code."""
    gc.set_threshold(ALLOCATIONS)
    print_anywhere()
    try:
        main = import_module("market_cli.main")
    except KeyboardInterrupt:
        print("error: Interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    main.run()
