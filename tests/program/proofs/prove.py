"""Proves one property for all inputs; fails unless it holds.

Usage: python -m tests.program.proofs.prove NAME
"""

from __future__ import annotations

import sys

from tests.program.proofs import properties  # noqa: F401
from tests.program.proofs.search import prove
from tests.program.proofs.stated import STATED


def main() -> None:
    """Proves it, or prints inputs that break it."""
    name = sys.argv[1]
    result = prove(STATED[name].claims)
    if result.inputs:
        sys.exit(f"BROKEN {name} ({result.broken}) by {result.inputs}")
    if not result.is_proved:
        sys.exit(f"UNKNOWN {name}: {result.unknown or 'nothing was claimed'}")
    print(f"{result.seconds:6.2f} s  {name}: {result.claims} claims on {result.ways} ways")


if __name__ == "__main__":
    main()
