"""Numbers of the chain that code assumes instead of reading: the length of slots and epochs, fees and rent."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .sources import Source

ALWAYS = {432_000, 6_960, 3_480, 890_880, 2_039_280}
"""Slots of an epoch, lamports of rent for a byte in a year or two, and the rent of a wallet and a token account."""
IF_NAMED = {0.4, 400, 5_000}
"""Length of a slot, and lamports of a signature, where the name says so."""
NAMES = ("SLOT", "SIGNATURE", "FEE_LAMPORTS")
STATED = {
    "scripts/counts/chain.py": "the list of them",
    "anchor_client/solana/slots.py": "the usual pace, until the chain shows its own",
    "anchor_client/solana/node.py": "the usual fee of a signature, until a node tells the cluster's own",
    "anchor_client/rules/parameters.py": "twin of the program's bound, which is for the slowest slots",
    "localnet/fees.py": "the embedded cluster's own fee",
    "localnet/timeline.py": "the embedded cluster's own slots, an option",
}
"""Files that may say one, and why."""


def assumed(files: Sequence[Source]) -> Iterator[str]:
    """Lines that name each such number outside tests and the files that may say one."""
    for source in files:
        if source.is_test or source.name in STATED:
            continue
        for node in ast.walk(source.tree):
            for number in _numbers(node):
                yield f"{source.name}:{number.lineno}: {number.value!r}"


def _numbers(node: ast.AST) -> Iterator[ast.Constant]:
    if isinstance(node, ast.Constant) and _value(node) in ALWAYS:
        yield node
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [target.id.upper() for target in targets if isinstance(target, ast.Name)]
        is_named = any(part in name for name in names for part in NAMES)
        if is_named and isinstance(node.value, ast.Constant) and _value(node.value) in IF_NAMED:
            yield node.value


def _value(constant: ast.Constant) -> float | None:
    value = constant.value
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
