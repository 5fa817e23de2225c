"""Command output: tables for people or one JSON document, never both on one stream."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table

from anchor_client.redaction import scrub

if TYPE_CHECKING:
    from anchor_client.transactions.details import TransactionDetails

Json = Any
"""What json.dumps takes, and resources."""


PIPE_WIDTH = 200
"""Columns of tables that no terminal bounds."""
IDS = frozenset({"job", "listing", "request"})
"""Columns whose addresses stay on one line, to be copied: a narrow terminal breaks the row instead."""


class Output:
    """Standard output in the form that was asked for; progress and notes go to standard error."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.people = Console(highlight=False, emoji=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
        self.notes = Console(stderr=True, highlight=False, emoji=False, quiet=as_json)

    def show(self, document: Json, *for_people: RenderableType) -> None:
        """The command's result, in one of its two forms."""
        if self.as_json:
            print(json.dumps(document, default=_fields), flush=True)
        else:
            self._wide_enough(for_people).print(*for_people, sep="\n")

    def _wide_enough(self, renderables: Sequence[RenderableType]) -> Console:
        """A console on which no address is broken."""
        unbound = self.people.options.update(width=PIPE_WIDTH)
        lists = (each for each in renderables if isinstance(each, Table) and _has_ids(each))
        needed = max((Measurement.get(self.people, unbound, each).maximum for each in lists), default=0)
        return self.people if needed <= self.people.width else Console(highlight=False, emoji=False, width=needed)

    def sent(self, sent: TransactionDetails, text: str, **document: Json) -> None:
        """What a transaction has done."""
        self.show({**document, "tx": str(sent.signature)}, text)

    def changed(self, sent: TransactionDetails, resource: Json, *for_people: RenderableType) -> None:
        """What a resource is after a transaction."""
        self.show({**_fields(resource), "tx": str(sent.signature)}, *for_people)

    def note(self, text: str) -> None:
        """A line of progress for people."""
        self.notes.print(text)

    def warn(self, text: str) -> None:
        """A line on standard error, whichever form the output has."""
        console = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)
        console.print(f"[yellow]warning:[/] {_plain(scrub(text))}")


def table(*columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """An empty table; the columns in `numbers` are aligned right."""
    made = Table(header_style="bold", box=None, pad_edge=False)
    for column in columns:
        is_number = column in numbers
        made.add_column(column, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    return made


def _has_ids(rows: Table) -> bool:
    return rows.show_header and any(column.header in IDS for column in rows.columns)


def details(*lines: tuple[str, str]) -> Table:
    """Everything about one thing, by name."""
    rows = table("", "")
    rows.show_header = False
    for name, text in lines:
        rows.add_row(f"[bold]{name}[/]", text)
    return rows


def print_error(message: str, remedy: str, kind: str, *, as_json: bool) -> None:
    """Prints an error and its remedy on standard error, and as JSON on standard output if `as_json`."""
    message, remedy = scrub(message), scrub(remedy)
    console = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)
    console.print(f"[bold red]error:[/] {_plain(message)}")
    console.print(f"[dim]{_plain(remedy)}[/]")
    if as_json:
        print(json.dumps({"error": kind, "message": message, "remedy": remedy}), file=sys.stdout, flush=True)


def _fields(resource: Any) -> Json:
    """A resource as the API answers it."""
    return resource.to_json()


def _plain(text: str) -> str:
    """Text on one line, with rich's markup taken literally."""
    return " ".join(text.split()).replace("[", r"\[")
