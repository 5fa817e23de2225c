"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

Yes = Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan and exit.")]
