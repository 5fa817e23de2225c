"""`gpu-market deploy metadata`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from solders.keypair import Keypair

from anchor_client.amounts import sol
from anchor_client.deploy.publication import Publication, Publishing
from anchor_client.deploy.published import interface, security
from anchor_client.service.optional import optional
from anchor_client.solana.program_metadata import metadata_address
from anchor_client.solana.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.deploy.arguments import DryRun, Yes
from market_cli.commands.deploy.deploying import agree, kept_key, telling
from market_cli.session import CliSession


@acting
async def metadata(
    session: CliSession,
    security_file: Annotated[
        Path | None, typer.Option("--security", metavar="FILE", help="Also publish this security contact file.")
    ] = None,
    maintainer: Annotated[
        str | None,
        typer.Option(
            "--maintainer", metavar="ADDRESS", help="Address that may change it, in addition to the upgrade authority."
        ),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Publish the program's IDL and security metadata on chain, for explorers. Upgrade authority or maintainer.

    Sends only unpublished parts. You can interrupt it at any point and run it again. Governance cannot sign for it, so
    name a maintainer before the hand-over.
    """
    program = session.settings.program_id
    documents = [interface(program), *([] if security_file is None else [security(security_file)])]
    keeps = optional(parse_address, maintainer)
    publication = Publication(session.signing.session.sender, program, session.wallet.keypair, keeps)
    plans = await publication.plan(documents)
    document = {
        "program_id": str(program),
        "addresses": {each.seed: str(metadata_address(program, each.seed)) for each in documents},
        "works": [_described(plan) for plan in plans],
        "rent_lamports": str(sum(plan.rent for plan in plans)),
        "fee_lamports": str(sum(plan.fees for plan in plans)),
        "dry_run": dry_run,
    }
    for plan in plans:
        session.out.note(f"  {plan.text}: {sol(plan.rent)}")
    if not plans:
        session.out.show(document, f"All of {program} is published already.")
        return
    if dry_run:
        session.out.show(document, "Nothing was sent.")
        return
    agree(session, "Do this?", yes=yes)

    def draft(seed: str) -> Keypair:
        return kept_key(f"{program}-{seed}")

    for plan in plans:
        await publication.run(plan, draft, telling(session))
    session.out.show(document, f"Published {', '.join(plan.seed for plan in plans)} of {program}.")


def _described(plan: Publishing) -> dict[str, object]:
    return {
        "seed": plan.seed,
        "text": plan.text,
        "bytes": len(plan.data),
        "replaces": plan.replaces,
        "rent_lamports": str(plan.rent),
    }
