"""Every instruction that a wallet signs works where the wallet is another program's address: invariant SYS-10."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from .harness.scenarios import IDL

ROOT = Path(__file__).parents[2]
UPGRADES = "tests/program/test_upgrade_program.py"
"""Here the market calls the loader, which scenarios do not."""


def run(*arguments: str) -> str:
    """Output of a module of Python's, in a process where wallets are new."""
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def signed_by_wallets() -> set[str]:
    """Instructions with a signer that is not an address of the market's own."""

    def is_wallet(account: dict[str, Any]) -> bool:
        return bool(account.get("signer")) and "pda" not in account

    return {each["name"] for each in IDL["instructions"] if any(map(is_wallet, each["accounts"]))}


def test_instruction__signed_by_a_program_at_height_three__works() -> None:
    """SYS-10."""
    heights = json.loads(run("tests.program.pda_wallets"))
    assert signed_by_wallets() <= heights.keys() and len(signed_by_wallets()) > 40
    assert set(heights.values()) == {3}


def test_page__instructions__are_as_many_as_the_program_has() -> None:
    page = (ROOT / "docs/assurance.md").read_text()
    assert f"| {len(IDL['instructions'])} instructions, and upgrades |" in page


def test_upgrade_program__executed_by_a_program_at_height_three__works() -> None:
    """SYS-10. An attack makes a program of a wallet, which the address of one cannot become."""
    wallets = ("-p", "tests.program.pda_wallets", "-k", "not attack")
    assert " passed" in run("pytest", "-q", "-n", "0", *wallets, UPGRADES)
