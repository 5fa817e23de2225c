"""Compute units of a rental by part, for docs/assurance.md.

Usage: python -m tests.program.guided.profile. Builds the program with debug information, whose register trace says
which function each instruction comes from; all else that a transaction costs is read from its logs.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from solders.instruction import Instruction

from anchor_client.generated.program import PROGRAM_ID
from tests.program.harness.scenarios import SCENARIOS
from tests.program.harness.world import World

from .__main__ import CACHE, ROOT, build_fuzzer, build_program

INSTRUCTIONS: Final = ("open_rental", "accept_rental", "start_rental", "finalize_rental")
PAGE: Final = ROOT / "docs" / "assurance.md"
BEGIN, END = "<!-- profile -->", "<!-- end of profile -->"
RUNTIME: Final = "the runtime: calls of programs, their signers, clock, rent and hashes"
CALLED: Final = "the programs called: tokens, system"
PARTS: Final = {
    "events": ("tell", "emit", "emit_here"),
    "derived addresses": ("derive_address", "bump_of", "find_and_verify_program_address", "has_associated"),
    "calls, prepared": ("transfer", "send_from_vault", "pay", "create"),
    "accounts, found and checked": ("walk_n", "validate_accounts", "load", "load_mut", "can_take"),
    "arguments": ("__coerce", "deserialize"),
}
"""Functions of each part; the outermost that is one of them decides."""
GENERIC: Final = "_3C_"
"""Begins the types of a generic function in its name here, as `<` does."""
HANDLER: Final = "_7B_closure_23_"
"""Inside the handler's closure all else is rules."""
RULES: Final = "rules and books"
OTHERWISE: Final = "entry and dispatch"


def main() -> None:
    profile, program = build_fuzzer().with_name("profile"), build_program()
    columns = {name: column(profile, program, *SCENARIOS[name]()) for name in INSTRUCTIONS}
    before, _, rest = PAGE.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{chr(10).join(table(columns))}\n{END}{after}")


def column(profile: Path, program: Path, world: World, instruction: Instruction) -> Counter[str]:
    """Compute units of an instruction by part."""
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        scene = Path(folder, "scene.json")
        scene.write_text(json.dumps(scene_of(world, instruction)))
        command = [str(profile), "--scene", str(scene), "--program", str(program)]
        run = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    parts = Counter[str]()
    outermost = len(run["invocations"]) - 1
    for number, functions in enumerate(sorted(run["invocations"], key=lambda each: sum(each.values()))):
        for path, count in functions.items():
            parts[part_of(path) if number == outermost else "events"] += count
    parts[CALLED] = sum(_consumed(run["logs"]))
    parts[RUNTIME] = run["compute_units"] - sum(parts.values())
    return parts


def part_of(path: str) -> str:
    """Part of the program that an instruction belongs to, by the functions around it."""
    for function in path.split(";"):
        for part, words in PARTS.items():
            if function.partition(GENERIC)[0] in words:
                return part
    return RULES if HANDLER in path else OTHERWISE


def table(columns: Mapping[str, Counter[str]]) -> Iterator[str]:
    """Lines of a table in Markdown, the dearest part first."""
    yield f"| | {' | '.join(f'`{name}`' for name in columns)} | a rental |"
    yield "|---" * (len(columns) + 2) + "|"
    whole = sum(columns.values(), Counter[str]())
    for part, units in whole.most_common():
        yield _row(part, [column[part] for column in columns.values()], units)
    yield _row("all", [column.total() for column in columns.values()], whole.total())


def scene_of(world: World, instruction: Instruction) -> dict[str, Any]:
    """The instruction, and every account that it names as it is."""
    cluster = world.cluster
    named = {meta.pubkey for meta in instruction.accounts} | {cluster.fee_payer}
    found = {key: cluster.account(key) for key in named}
    return {
        "program": str(PROGRAM_ID),
        "now": cluster.now,
        "slot": cluster.slot,
        "payer": str(cluster.fee_payer),
        "accounts": [
            (str(key), account.lamports, b64encode(account.data).decode(), str(account.owner))
            for key, account in found.items()
            if account is not None and not account.executable
        ],
        "data": b64encode(instruction.data).decode(),
        "metas": [(str(meta.pubkey), meta.is_signer, meta.is_writable) for meta in instruction.accounts],
    }


def _consumed(logs: list[str]) -> Iterator[int]:
    """Compute units of each other program; the runtime's own have no such line."""
    for line in logs:
        told = re.match(r"Program (\w+) consumed (\d+) of", line)
        if told and told[1] != str(PROGRAM_ID):
            yield int(told[2])


def _row(name: str, figures: list[int], whole: int) -> str:
    return f"| {name} | {' | '.join(f'{figure:,}' for figure in figures)} | {whole:,} |"


if __name__ == "__main__":
    main()
