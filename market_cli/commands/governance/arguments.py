"""Arguments that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

ProposalId = Annotated[int, typer.Argument(metavar="ID", help="Proposal number.", min=0, max=2**63 - 1)]
Title = Annotated[str, typer.Option("--title", help="One-line title for voters.", show_default=False)]
