"""Arguments that several commands take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from market_cli.errors import BadOption

ProposalId = Annotated[int, typer.Argument(metavar="ID", help="Proposal number.", min=0, max=2**63 - 1)]
Title = Annotated[str, typer.Option("--title", help="One-line title for voters.", show_default=False)]


def one_of(names: Sequence[str], text: str, what: str) -> str:
    """Finds a name, in upper or lower case. BadOption, which names `what` was expected."""
    if text.lower() not in names:
        raise BadOption(f"{text!r} is not {what}", f"Choose one of: {', '.join(names)}.")
    return text.lower()
