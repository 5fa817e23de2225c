"""Text that others wrote, on a terminal: it cannot move the cursor, forge a line or end the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from anchor_client.connection import Connection
from market_cli.commands.rental.job import ways_in
from market_cli.output import Output, details, print_error
from market_cli.plain_text import printable, theirs

HOSTILE = "[/] [red]\\[x\x1b]0;owned\x07\x1b[2J\u202egnp\u2066\ufeff\u2028next\nline\r\x9b1m \u8bad\u200d \udcff[bold"
SHOWN = "[/] [red]\\[x]0;owned[2Jgnp next line 1m \u8bad\u200d [bold"
SCRIPT = str(Path(sys.executable).with_name("gpu-market"))


def test_theirs__hostile_text__is_shown_as_it_is_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Output(as_json=False).show([], details(("title", theirs(HOSTILE))), f"[bold]{theirs(HOSTILE)}[/]")
    assert capsys.readouterr().out == f"title  {SHOWN}\n{SHOWN}\n"


def test_output__hostile_text_that_nobody_marked__obeys_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output(as_json=False)
    out.show([], details(("title", HOSTILE)), HOSTILE, "[/]")
    out.note(HOSTILE)
    out.warn(HOSTILE)
    print_error(HOSTILE, HOSTILE, "Hostile", as_json=False)
    shown = capsys.readouterr()
    assert all(printable(text) == text and "\x1b" not in text for text in shown)
    assert shown.err.count("\n") == 5 and "[/]" in shown.out


def test_ways_in__host_writes_what_it_likes__is_shown_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    connection = Connection(
        host="gpu.test", port=20_000, password=HOSTILE.replace("\udcff", ""), abuse_contact="[/]\x1b[2J\nforged"
    )
    lines = ways_in(connection)
    Output(as_json=False).show([], *lines)
    shown = capsys.readouterr().out
    assert shown.count("\n") == len(lines) and printable(shown) == shown and SHOWN in shown


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252", "utf-8"])
def test_help__encoding_that_lacks_our_characters__replaces_them(encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "TERM": "xterm", "FORCE_COLOR": "1"}
    for words in (("rent", "--help"), ("gpus", "--rpc", "http://127.0.0.1:1/\u2014\u8bad")):
        done = subprocess.run((SCRIPT, *words), env=environment, capture_output=True, check=False)
        assert done.returncode in (0, 1, 2) and b"Traceback" not in done.stderr, done.stderr
        assert (done.stdout + done.stderr).decode(encoding)
