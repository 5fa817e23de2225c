"""Files that the skippable steps read; `tests/scripts/test_ci_inputs.py` compares two of them with what is opened."""

from __future__ import annotations

PROGRAM = ("programs", "Cargo.toml", "Cargo.lock", "scripts/sbf", "localnet/program")
CALLER = ("tests/program/caller", "scripts/sbf")
DASHBOARD = ("clients/typescript", "dashboard", "indexer/dashboard", "scripts/dashboard.py")

_ERRORS = ("anchor_client/__init__.py", "anchor_client/service/__init__.py", "anchor_client/service/errors.py")
MOVED = (
    *PROGRAM,
    *_ERRORS,
    "anchor_client/deploy/__init__.py",
    "anchor_client/deploy/binary.py",
    "anchor_client/deploy/errors.py",
    "anchor_client/generated/__init__.py",
    "anchor_client/generated/program.py",
    "idl",
    "pyproject.toml",
)
_MONEY_RULES = (
    "__init__",
    "host",
    "listing",
    "math",
    "meter",
    "order",
    "parameters",
    "payment_mint",
    "proposal",
    "rental",
    "stake_account",
    "stake_pool",
    "subsidy",
    "vault",
)
PROOFS = (
    *_ERRORS,
    *(f"anchor_client/rules/{name}.py" for name in _MONEY_RULES),
    "anchor_client/amounts.py",
    "anchor_client/errors",
    "anchor_client/generated",
    "anchor_client/solana/__init__.py",
    "anchor_client/solana/errors",
    "anchor_idl/__init__.py",
    "anchor_idl/runtime",
    "scripts/mutation",
    "tests/__init__.py",
    "tests/program/__init__.py",
    "tests/program/proofs",
    "pyproject.toml",
)
