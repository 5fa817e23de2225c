"""What tables look like where there is little room."""

from __future__ import annotations

import re

import pytest
from solders.keypair import Keypair

from market_cli.output import Output, table


def _lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What was printed, without colours."""
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("columns", [40, 80, 129])
def test_table__narrow_terminal__ids_stay_on_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(columns))
    ids = [str(Keypair().pubkey()) for _ in range(3)]
    rows = table("job", "status", "gpu", "region", "kind", "duration", "$/h", "cost")
    for job in ids:
        rows.add_row(
            job, "running", "nvidia-h100-pcie-80gb", "us-central", "on-demand", "1 h, 53 min left", "$2", "1 G"
        )
    Output(as_json=False).show([], rows)
    shown = _lines(capsys)
    assert [line.split()[0] for line in shown[1:]] == ids and all(line.rstrip().endswith("1 G") for line in shown[1:])


def test_table__without_ids__folds_to_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    rows = table("a", "b")
    rows.add_row("x" * 60, "y" * 60)
    Output(as_json=False).show([], rows)
    assert max(map(len, _lines(capsys))) <= 40
