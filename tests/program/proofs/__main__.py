"""Proves each property for all inputs, and that the rules changed as the mutations say break one each.

Usage: python -m tests.program.proofs [NAME...]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

from tests.program.proofs import mutated, properties  # noqa: F401
from tests.program.proofs.stated import STATED


def main() -> None:
    """Proves those named, or all; fails unless each is proved and each change is found."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", metavar="NAME", help="properties or mutations (default: all)")
    options.add_argument("-n", "--processes", type=int, default=os.cpu_count() or 1)
    given = options.parse_args()
    known = {**dict.fromkeys(STATED, "prove"), **dict.fromkeys(mutated.read(), "mutated")}
    missing = [each for each in given.names if each not in known]
    if missing:
        options.error(f"there is no {missing[0]!r}; there are {', '.join(known)}")
    names = given.names or list(known)
    failed = 0
    try:
        for is_good, told in _run({name: known[name] for name in names}, given.processes):
            failed += not is_good
            print(told, flush=True)
    except KeyboardInterrupt:
        sys.exit("stopped")
    print(f"{len(names) - failed} of {len(names)} as expected")
    sys.exit(1 if failed else 0)


def _run(modules: dict[str, str], processes: int) -> Iterator[tuple[bool, str]]:
    """Each in a process of its own: the solver's answers depend on what it was asked before."""
    with ThreadPoolExecutor(processes) as pool:
        try:
            for done in as_completed(pool.submit(_one, module, name) for name, module in modules.items()):
                yield done.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _one(module: str, name: str) -> tuple[bool, str]:
    command = [sys.executable, "-m", f"tests.program.proofs.{module}", name]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode == 0, done.stdout.rstrip()


if __name__ == "__main__":
    main()
