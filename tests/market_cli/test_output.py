"""Tables where there is little room."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable

import pytest
from solders.keypair import Keypair

from market_cli.exit_codes import ReaderGone
from market_cli.output import Output, details, table


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes standard output a terminal with that many columns."""

    def set_columns(columns: int) -> None:
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("COLUMNS", str(columns))

    return set_columns


def _lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Lines that were printed, without colours."""
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("columns", [40, 80, 129])
def test_table__narrow_terminal__ids_stay_on_one_line(
    capsys: pytest.CaptureFixture[str], narrow: Callable[[int], None], columns: int
) -> None:
    narrow(columns)
    ids = [str(Keypair().pubkey()) for _ in range(3)]
    rows = table("job", "status", "gpu", "region", "kind", "duration", "$/h", "cost")
    for job in ids:
        rows.add_row(
            job, "running", "nvidia-h100-pcie-80gb", "us-central", "on-demand", "1 h, 53 min left", "$2", "1 G"
        )
    Output(as_json=False).show([], rows)
    shown = _lines(capsys)
    assert [line.split()[0] for line in shown[1:]] == ids and all(line.rstrip().endswith("1 G") for line in shown[1:])


def test_table__narrow_terminal__lines_of_whole_columns_stay_unbroken(
    capsys: pytest.CaptureFixture[str], narrow: Callable[[int], None]
) -> None:
    narrow(80)
    holder = str(Keypair().pubkey())
    rows = table("right", "holder", "what it does", whole=("holder",))
    rows.add_row("upgrade", f"governance\n{holder}", "a right that takes many words " * 5)
    Output(as_json=False).show([], rows)
    shown = _lines(capsys)
    assert any(holder in line for line in shown) and max(map(len, shown)) <= 80


def test_table__without_ids__folds_to_the_terminal(
    capsys: pytest.CaptureFixture[str], narrow: Callable[[int], None]
) -> None:
    narrow(40)
    rows = table("a", "b")
    rows.add_row("x" * 60, "y" * 60)
    Output(as_json=False).show([], rows)
    assert max(map(len, _lines(capsys))) <= 40


def test_details__narrow_terminal__ids_stay_whole_and_text_folds(
    capsys: pytest.CaptureFixture[str], narrow: Callable[[int], None]
) -> None:
    narrow(40)
    signature = str(Keypair().sign_message(b"burned"))
    Output(as_json=False).show([], details(("burned", f"1 G in {signature}"), ("status", "word " * 40)), "after")
    shown = _lines(capsys)
    assert any(line.endswith(signature) for line in shown)
    assert shown[-1] == "after" and max(map(len, shown[2:])) <= len("burned  ") + len(signature)


def test_table__some_rows_are_short__their_lines_end_with_what_they_say(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table("mint", "note")
    rows.add_row("a", "x" * 100)
    rows.add_row("b", "y")
    Output(as_json=False).show([], rows)
    assert _lines(capsys) == ["mint  note", f"a     {'x' * 100}", "b     y"]


@pytest.mark.parametrize("as_json", [True, False])
def test_show__nobody_reads__is_not_taken_for_a_failure(monkeypatch: pytest.MonkeyPatch, as_json: bool) -> None:
    read, write = os.pipe()
    os.close(read)
    with pytest.raises(ReaderGone), os.fdopen(write, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        try:
            Output(as_json=as_json).show({}, "text")
        finally:
            monkeypatch.undo()
            os.dup2(os.open(os.devnull, os.O_WRONLY), write)
