"""The table that people read."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.table import Table

from benchmarks.figures import Figure, Number, Row
from benchmarks.results import BenchmarkOutcome, Run

MET = {True: "[green]met[/]", False: "[red]missed[/]", None: ""}


def print_run(run: Run, console: Console) -> None:
    """All figures beside their targets, after the details of each benchmark that has some."""
    for outcome in run.outcomes:
        if outcome.report is not None and outcome.report.details:
            console.print(_details(outcome.benchmark.title, outcome.report.details))
    console.print(_figures(run))
    machine = run.machine
    console.print(
        f"{machine.cpu}, {machine.cores} cores, load {run.load_average:.1f}; Python {machine.versions['python']};"
        f" a fixed loop takes {machine.loop_ms:.1f} ms",
        # One line, however long the processor's name is: people copy it.
        soft_wrap=True,
    )


def _figures(run: Run) -> Table:
    table = Table(title="gpu-market benchmarks")
    table.add_column("benchmark")
    table.add_column("figure")
    for heading in ("value", "target"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for outcome in run.outcomes:
        _add(table, outcome)
        table.add_section()
    return table


def _add(table: Table, outcome: BenchmarkOutcome) -> None:
    if outcome.failure is not None:
        table.add_row(outcome.benchmark.name, "[red]failed[/]", "", "", outcome.failure)
    if outcome.report is None:
        return
    for place, figure in enumerate(outcome.report.figures):
        name = outcome.benchmark.name if place == 0 else ""
        value = f"{_number(figure.value)} {figure.unit}"
        table.add_row(name, figure.name, value, _target(figure), MET[figure.met])


def _details(title: str, rows: Sequence[Row]) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD)
    for heading, value in rows[0].items():
        justify: JustifyMethod = "left" if isinstance(value, str) else "right"
        table.add_column(heading.replace("_", "\n"), justify=justify, no_wrap=True)
    for row in rows:
        table.add_row(*(value if isinstance(value, str) else _number(value) for value in row.values()))
    return table


def _target(figure: Figure) -> str:
    if figure.target is None:
        return ""
    return f"{figure.target.sense} {_number(figure.target.bound)}"


def _number(value: Number) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
