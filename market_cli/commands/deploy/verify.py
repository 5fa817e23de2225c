"""`gpu-market deploy verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.deploy.errors import ProgramUnknown
from anchor_client.deploy.program import compare, find_program
from anchor_client.service.optional import optional
from anchor_client.solana.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.deploy.deploying import binary_for
from market_cli.output import details
from market_cli.session import CliSession


@acting
async def verify(
    session: CliSession,
    program_id: Annotated[str | None, typer.Argument(help="Program; default: the market's.")] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FILE", help="Build to compare with; default: the committed one."),
    ] = None,
    dump: Annotated[
        Path | None, typer.Option("--dump", metavar="FILE", help="Write the deployed code to this file.")
    ] = None,
) -> None:
    """Compare a deployed program, byte for byte, with a build. Exits with 1 if they differ."""
    if program_id is None:
        program = session.settings.program_id
    else:
        program = parse_address(program_id)
    found = await find_program(session.market.session.sender, program)
    if found is None:
        raise ProgramUnknown(f"There is no upgradeable program at {program}")
    binary = binary_for(program, against)
    result = compare(program, found, binary.code)
    if dump is not None:
        # Where they match, the rest of the account is zeros: room for upgrades.
        code = found.code[: len(binary.code)] if result.matches else found.code
        dump.write_bytes(code)
    document = {
        "program_id": str(program),
        "matches": result.matches,
        "deployed_sha256": result.sha256,
        "build_sha256": binary.sha256,
        "bytes": len(binary.code),
        "room": result.room,
        "slot": result.slot,
        "upgrade_authority": optional(str, result.authority),
    }
    rows = details(*((name, str(value)) for name, value in document.items()))
    if not result.matches:
        session.out.show(document, rows, "[red]They differ.[/]")
        raise typer.Exit(1)
    session.out.show(document, rows, "Identical, byte for byte.")
