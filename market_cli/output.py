"""Command output: tables for people or one JSON document, never both on one stream."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.errors import MarkupError
from rich.markup import escape
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from anchor_client.service.redaction import scrub
from market_cli.exit_codes import ReaderGone
from market_cli.plain_text import only_our_tags, printable, theirs

if TYPE_CHECKING:
    from anchor_client.solana.transactions.details import TransactionDetails

Json = Any
"""Values that json.dumps accepts, and resources."""


PIPE_WIDTH = 200
"""Width of tables without a terminal."""
IDS = frozenset({"job", "listing", "request", "id", "mint", "transaction"})
"""Columns whose ids stay on one line for copying: a narrow terminal breaks the row instead."""


class _Console(Console):
    """A console that prints no character that a terminal would obey, but for rich's own, and takes broken markup
    literally.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of anything printable."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)

    def render_str(self, text: str, **options: Any) -> Text:
        """Text from our markup; tags that we do not write are taken literally."""
        try:
            return super().render_str(only_our_tags(text), **options)
        except MarkupError:
            return super().render_str(escape(text), **options)


class _People(_Console):
    """A console that raises ReaderGone; rich's own ends the process as if the command had failed."""

    def on_broken_pipe(self) -> None:
        raise ReaderGone


@contextmanager
def to_reader() -> Iterator[None]:
    """Context for writing to standard output. ReaderGone once its reader has gone."""
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGone from error


class Output:
    """Standard output in the requested form; progress and notes go to standard error. Raises ReaderGone once its reader
    has gone.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.people: Console = _People(highlight=False, emoji=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
        self.notes: Console = _Console(stderr=True, highlight=False, emoji=False, quiet=as_json)

    def show(self, document: Json, *for_people: RenderableType) -> None:
        """The command's result, in one of its two forms."""
        if self.as_json:
            self.line(document)
        else:
            shown = [_Trimmed(each) if isinstance(each, Table) else each for each in for_people]
            self._wide_enough(for_people).print(*shown, sep="\n")

    def rows(self, document: Json, rows: Table, *, none: str) -> None:
        """A table, or `none` if it has no rows."""
        self.show(document, rows if rows.row_count else none)

    def line(self, document: Json) -> None:
        """One JSON document."""
        with to_reader():
            print(json.dumps(document, default=_fields), flush=True)

    def _wide_enough(self, renderables: Sequence[RenderableType]) -> Console:
        """A console on which no id is broken."""
        unbound = self.people.options.update(width=PIPE_WIDTH)
        measured = [
            (each, Measurement.get(self.people, unbound, each)) for each in renderables if isinstance(each, Table)
        ]
        lists = [needed.maximum for each, needed in measured if _has_ids(each)]
        words = [needed.minimum for each, needed in measured if not each.show_header]
        needed = max([*lists, *words], default=0)
        if needed <= self.people.width:
            return self.people
        return _People(highlight=False, emoji=False, width=needed)

    def sent(self, sent: TransactionDetails, text: str, **document: Json) -> None:
        """Prints the result of a transaction."""
        self.show({**document, "tx": str(sent.signature)}, text)

    def changed(self, sent: TransactionDetails, resource: Json, *for_people: RenderableType) -> None:
        """Prints a resource's state after a transaction."""
        self.show({**_fields(resource), "tx": str(sent.signature)}, *for_people)

    def note(self, text: str) -> None:
        """A line of progress for people."""
        self.notes.print(text, soft_wrap=True)

    def warn(self, text: str) -> None:
        """A line on standard error, for any output form."""
        console = _Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)
        console.print(f"[yellow]warning:[/] {_line(scrub(text))}")


@dataclass(frozen=True, slots=True)
class _Trimmed:
    """A table without trailing blanks: in a wide table they would wrap into empty lines on a terminal."""

    whole: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self.whole, options, pad=False):
            kept = list(line)
            while kept and not kept[-1].text.strip():
                kept.pop()
            yield from kept[:-1]
            if kept:
                yield Segment(kept[-1].text.rstrip(), kept[-1].style)
            yield Segment.line()


def table(*columns: str, numbers: tuple[str, ...] = (), whole: tuple[str, ...] = ()) -> Table:
    """An empty table. The columns in `numbers` are aligned right; their lines and those of `whole` columns are never
    broken.
    """
    made = Table(header_style="bold", box=None, pad_edge=False)
    for column in columns:
        is_number = column in numbers
        made.add_column(
            column, justify="right" if is_number else "left", no_wrap=is_number or column in whole, overflow="fold"
        )
    return made


def _has_ids(rows: Table) -> bool:
    return rows.show_header and any(column.header in IDS and column.justify == "left" for column in rows.columns)


def details(*lines: tuple[str, str]) -> Table:
    """Everything about one thing, by name."""
    rows = table("", "")
    rows.show_header = False
    for name, text in lines:
        rows.add_row(f"[bold]{name}[/]", text)
    return rows


def print_error(message: str, remedy: str, kind: str, *, as_json: bool) -> None:
    """Prints an error and its remedy on standard error, and as JSON on standard output if `as_json`."""
    message = scrub(message)
    remedy = scrub(remedy)
    console = _Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)
    console.print(f"[bold red]error:[/] {_line(message)}")
    console.print(f"[dim]{_line(remedy)}[/]")
    if as_json:
        print(json.dumps({"error": kind, "message": message, "remedy": remedy}), file=sys.stdout, flush=True)


def _fields(resource: Any) -> Json:
    """A resource in the API's form."""
    return resource.to_json()


def _line(text: str) -> str:
    """A message on one line, with single blanks."""
    return theirs(" ".join(text.split()))
