"""The deployed code, and who may replace it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from anchor_client.deploy.clusters import MAINNET, cluster_of
from anchor_client.deploy.program import compare, find_program
from anchor_client.doctor.context import Context
from anchor_client.doctor.finding import Finding, failure, ok, warning
from anchor_client.generated.pdas import find_governance

CHECK = "program"


async def check_program(context: Context) -> AsyncIterator[Finding]:
    """Checks the program's code, its upgrade authority, and that no market for tests is on mainnet."""
    program = context.program
    found = await find_program(context.market.session.sender, program)
    if found is None:
        yield failure(CHECK, f"there is no upgradeable program at {program}", "Check the cluster and program_id.")
        return
    if context.binary is None:
        yield warning(CHECK, "the expected code is unknown", "Run it where the market's build is installed.")
    else:
        result = compare(program, found, context.binary.code)
        if result.matches:
            yield ok(CHECK, f"{program} is the build {result.sha256[:16]}…, deployed in slot {result.slot}")
        else:
            text = f"{program} is {result.sha256[:16]}…, not the build {context.binary.sha256[:16]}…"
            yield failure(CHECK, text, "Find out who has upgraded it; `gpu-market deploy verify --dump FILE` saves it.")
    governance = find_governance(program)[0]
    if found.authority == governance:
        yield ok(CHECK, "only a vote can upgrade it")
    elif found.authority is None:
        yield ok(CHECK, "nobody can upgrade it")
    else:
        text = f"the key {found.authority} can upgrade it, and so take all funds"
        remedy = "Keep that key offline; `gpu-market governance hand-over --final` gives it to the stakers."
        yield warning(CHECK, text, remedy)
    is_main = cluster_of(await context.market.reads.genesis_hash()) == MAINNET
    if context.account.testing and is_main:
        yield failure(CHECK, "a test market is on mainnet", "Let nobody use it: a few stakers can take it over.")
