"""Logs of a machine: a terminal shows their text and colours, and obeys nothing else; a file has every byte."""

from __future__ import annotations

import os
from io import BytesIO
from itertools import pairwise

import pytest

from market_cli.machine.log_output import MOST_UNFINISHED, LogOutput

LOG = (
    "\x1b[1;31mloss\x1b[0m 0.5\r\x1b[Kloss 0.4\t\u8bad\n"
    "\x1b]0;owned\x07\x1b]52;c;ZXZpbA==\x1b\\\x1b[2J\x1b[5A\x1b[?1049h\x1bcforged\u202egnp\x9b1m\x07\x08 100 %\x0c\n"
    "\x1bP0;1|q\x1b\\\x1b(0after\x1b"
).encode()
SHOWN = "\x1b[1;31mloss\x1b[0m 0.5\r\x1b[Kloss 0.4\t\u8bad\nforgedgnp1m\b 100 % \nafter"


def written(parts: list[bytes], encoding: str | None) -> bytes:
    out = BytesIO()
    log = LogOutput(out, encoding)
    for part in parts:
        log.write(part)
    return out.getvalue()


def test_log__on_a_terminal__has_its_text_and_colours_alone_wherever_it_is_cut() -> None:
    for step in (len(LOG), 1, 2, 7):
        cuts = [*range(0, len(LOG), step), len(LOG)]
        assert written([LOG[a:b] for a, b in pairwise(cuts)], "utf-8").decode() == SHOWN, step
    assert written([b"\xff\xe2\x82", b"\xac", "\u8bad".encode()], "latin-1") == b"???"


def test_log__sequence_that_never_ends__holds_nothing_back_for_ever() -> None:
    title = b"\x1b]0;" + b"x" * (MOST_UNFINISHED + 1)
    assert written([title, b"after\n"], "utf-8").endswith(b"xxxafter\n")
    assert b"\x1b" not in written([title, b"\x1b]0;"], "utf-8")


def test_log__in_a_file__is_as_it_came() -> None:
    assert written([LOG[:9], LOG[9:]], None) == LOG


@pytest.mark.parametrize("is_terminal", [True, False])
def test_log__to_a_stream__is_shown_as_the_stream_is(is_terminal: bool) -> None:
    read, write = os.openpty() if is_terminal else os.pipe()
    with os.fdopen(write, "w", encoding="utf-8") as stream:
        LogOutput.to(stream).write(b"\x1b[2Ja")
        shown = os.read(read, 100)
    os.close(read)
    assert shown == (b"a" if is_terminal else b"\x1b[2Ja")
