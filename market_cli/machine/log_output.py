"""A log of a machine on this computer: a host, or a job's program, may write what a terminal would obey."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import BinaryIO, Final, Self, TextIO

from market_cli.output import to_reader
from market_cli.plain_text import printable

SEQUENCE: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, links, the clipboard
    r"|\x1b[ -/]*[0-OQ-WYZ`-~]"
)
COLOUR: Final = re.compile(r"\x1b\[[0-9;:]*[mK]")
"""Colours, and the rest of a line erased, as progress bars do."""
UNFINISHED: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)\Z")
MOST_UNFINISHED: Final = 4_096
KEPT: Final = "\n\r\t\b"


@dataclass(slots=True)
class LogOutput:
    """Writes a log to a stream without buffering: unchanged to a file, with colours alone to a terminal."""

    _out: BinaryIO
    _encoding: str | None
    """The terminal's; None for a file."""
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )
    _rest: str = ""

    @classmethod
    def to(cls, stream: TextIO) -> Self:
        """On standard output or error."""
        return cls(stream.buffer, stream.encoding if stream.isatty() else None)

    def write(self, data: bytes) -> None:
        """Writes the next part. ReaderGone."""
        with to_reader():
            self._out.write(data if self._encoding is None else self._shown(data).encode(self._encoding, "replace"))
            self._out.flush()

    def _shown(self, data: bytes) -> str:
        text = self._rest + self._decoder.decode(data)
        unfinished = UNFINISHED.search(text)
        end = len(text) if unfinished is None or len(unfinished[0]) > MOST_UNFINISHED else unfinished.start()
        self._rest = text[end:]
        return _with_colours_alone(text[:end])


def _with_colours_alone(text: str) -> str:
    shown = []
    start = 0
    for sequence in SEQUENCE.finditer(text):
        shown.append(printable(text[start : sequence.start()], keep=KEPT))
        if COLOUR.fullmatch(sequence[0]):
            shown.append(sequence[0])
        start = sequence.end()
    return "".join([*shown, printable(text[start:], keep=KEPT)])
