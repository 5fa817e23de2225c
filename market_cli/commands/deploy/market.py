"""`gpu-market deploy market.toml`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from solders.pubkey import Pubkey

from anchor_client.amounts import sol
from anchor_client.deploy.clusters import require_cluster
from anchor_client.deploy.document import read_market_file
from anchor_client.deploy.keys import MarketKeys, load_keys
from anchor_client.deploy.manifest import NAME, manifest_of, write_manifest
from anchor_client.deploy.plan import Deployment, DeployOutcome, DeployPlan
from anchor_client.doctor.examine import examine
from anchor_client.generated.program import PROGRAM_ID
from market_cli.acting import acting
from market_cli.commands.deploy.arguments import DryRun, Yes
from market_cli.commands.deploy.deploying import agree, binary_for, connected, settings_for, telling
from market_cli.commands.deploy.findings import document_of, rows_of
from market_cli.errors import SignsItself
from market_cli.session import CliSession
from market_cli.signing.unsigned import EXPLAINED
from market_cli.signing.unsigned import document_of as transaction_document


@acting
async def market(
    session: CliSession,
    file: Annotated[Path, typer.Argument(help="A market file, as written by `deploy init`.")],
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Open the market of a file, or complete it.

    It first shows the plan, its cost and the irreversible steps. You can interrupt it at any point and run again. Next
    to the file it writes market.json, which others need to use the market. At the end it examines the market as
    `gpu-market doctor` does. Where the file's authority is an address, a multisig's or a hardware wallet's, it prints
    the transactions for it to sign; run it again once they have landed.
    """
    wanted = read_market_file(file)
    settings = settings_for(session, wanted.cluster)
    root = file.resolve().parent
    if session.flags.unsigned is not None:
        raise SignsItself(
            "The signers come from the market file", "Put the address into the file, as `authority` under [keys]."
        )
    own = settings.wallet() if session.flags.keypair else None
    async with AsyncExitStack() as stack:
        reading = await connected(stack, settings, PROGRAM_ID)
        genesis = await require_cluster(reading.reads, wanted.cluster)
        keys = load_keys(wanted, root, PROGRAM_ID, own)
        for path in keys.made:
            session.out.note(f"Made the key {path}. Back it up.")
        program = keys.program.pubkey()
        code = root / wanted.program.file if wanted.program.file else None
        binary = binary_for(program, code)
        client = await connected(stack, settings, program)
        deployment = Deployment(client, wanted, keys, binary)
        plan = await deployment.plan()
        _show(session, plan, keys)
        outcome = DeployOutcome(0)
        if not plan.is_done and not dry_run:
            plan.require_funds()
            agree(session, "Do this?", yes=yes)
            outcome = await deployment.run(plan, session.out.note, telling(session))
        if not dry_run:
            write_manifest(root / NAME, manifest_of(wanted, keys, binary, genesis))
        is_open = not dry_run and not outcome.to_sign
        if is_open:
            findings = await examine(client, binary=binary, api_url=settings.api_url)
        else:
            findings = []
        spent = plan.balance - await client.session.client.get_balance(keys.payer.pubkey())
    document = _document(plan) | {
        "cluster": wanted.cluster,
        "authority": str(keys.authority),
        "payer": str(keys.payer.pubkey()),
        "dry_run": dry_run,
        "transactions": outcome.sent,
        "to_sign": [{"texts": list(each.texts), **transaction_document(each.transaction)} for each in outcome.to_sign],
        "spent_lamports": str(spent),
        "manifest": None if dry_run else str(root / NAME),
        "doctor": document_of(findings) if is_open else None,
    }
    if dry_run:
        session.out.show(document, "Nothing was sent.")
        return
    if outcome.to_sign:
        session.out.show(document, *_waiting(outcome, keys.authority))
        return
    what = "There was nothing to do." if plan.is_done else f"Done, for {sol(spent)}."
    waiting = (f"Waiting: {each}." for each in plan.waiting)
    session.out.show(
        document, f"{what} {root / NAME} is the file for the market's users.", *waiting, "", rows_of(findings)
    )


def _waiting(outcome: DeployOutcome, authority: Pubkey) -> Iterator[str]:
    """Prints transactions for the authority to sign, with explanations for people."""
    for number, each in enumerate(outcome.to_sign, 1):
        yield f"{number}. To {', '.join(each.texts)}:"
        yield f"{each.transaction.base64}\n"
    yield f"{len(outcome.to_sign)} transactions for {authority} to sign, in base64. {EXPLAINED}"
    yield "Then run this again: it continues from there."


def _show(session: CliSession, plan: DeployPlan, keys: MarketKeys) -> None:
    say = session.out.note
    if plan.is_done:
        return
    elsewhere = ""
    if keys.elsewhere is not None:
        elsewhere = f", which signs elsewhere; {keys.payer.pubkey()} pays for the rest"
    say(f"Program {plan.program}, authority {keys.authority}{elsewhere}")
    if plan.deploys:
        say("  upload the program")
    for work in plan.works:
        say(f"  {work.text}")
    cost = f"{plan.accounts} accounts: {sol(plan.rent)}; signatures: {sol(plan.fees)}"
    say(f"{cost}. {keys.payer.pubkey()} pays {sol(plan.paid_here)} and has {sol(plan.balance)}.")
    if plan.final:
        say("Irreversible:")
        for each in plan.final:
            say(f"  {each}")


def _document(plan: DeployPlan) -> dict[str, Any]:
    return {
        "program_id": str(plan.program),
        "deploys": plan.deploys,
        "works": [{"text": work.text, "stage": work.stage, "final": work.final} for work in plan.works],
        "final": plan.final,
        "waiting": list(plan.waiting),
        "accounts": plan.accounts,
        "rent_lamports": str(plan.rent),
        "fee_lamports": str(plan.fees),
        "balance_lamports": str(plan.balance),
    }
