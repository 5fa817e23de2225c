"""Runs a command; says what it does once it has taken two seconds, and then how long it took.

Usage: python3 -m scripts.slow NAME COMMAND...
"""

import subprocess
import sys

from local_market.stack.slow import SLOW_SECONDS, said_if_slow


def main(name: str, *command: str, after: float = SLOW_SECONDS) -> int:
    """Returns the command's exit status."""
    try:
        with said_if_slow(name, lambda text: print(text, file=sys.stderr, flush=True), after):
            subprocess.run(command, check=True)
    except subprocess.CalledProcessError as failed:
        return failed.returncode
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
