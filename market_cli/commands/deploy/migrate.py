"""`gpu-market migrate`."""

from __future__ import annotations

import typer

from anchor_client.rules.layouts import VERSIONS
from market_cli.acting import acting
from market_cli.output import table
from market_cli.session import CliSession


@acting
async def migrate(session: CliSession) -> None:
    """Count the market's accounts by layout version, and migrate older ones.

    Each layout has only one version so far, so there is nothing to migrate. Exits with 0 if every account has the
    version that this client knows, otherwise with 1.
    """
    program = session.market.reads.program
    rows = table("account", "version", "accounts")
    kinds = []
    strange = 0
    for kind, known in VERSIONS.items():
        found = await program.versions(kind)
        strange += sum(count for version, count in found.items() if version != known)
        for version, count in sorted(found.items()):
            shown = str(version)
            if version != known:
                shown = f"[red]{version}, not {known}[/]"
            rows.add_row(kind.__name__, shown, str(count))
            kinds.append({"kind": kind.__name__, "version": version, "known": known, "accounts": count})
    text = "Every account has the newest layout. There is nothing to migrate."
    if strange:
        text = f"{strange} accounts have a newer layout than this client knows: update it."
    session.out.show({"kinds": kinds, "migrated": 0, "strange": strange}, rows, text)
    if strange:
        raise typer.Exit(1)
